"""Faults in players, arena, intervals, tournament, exact measures, search, training and external bots."""

from __future__ import annotations

from tests.mutations import Mutant, tests

ARENA = tests("tests/test_agents_arena.py")
TOURNAMENT = tests("tests/test_tournament.py")
RATINGS = tests("tests/test_tournament_ratings.py")
SPRT = tests("tests/test_tournament_sprt.py")
BOTS = tests("tests/test_tournament_bots.py")
ENDED = tests("tests/test_bots_ended.py")
FOLDER = tests("tests/test_tournament_folder.py")
IDENTITY = tests("tests/test_tournament_identity.py")
REGRET = tests("tests/test_regret.py")
EQUILIBRIUM = tests("tests/test_equilibrium.py")
SEARCH = tests("tests/test_agents_search.py")
NETWORK = tests("tests/test_agents.py")
FILES = tests("tests/test_player_files.py")
TRAINING = tests("tests/test_train.py")
TROUBLE = tests("tests/test_train_trouble.py")

AGENTS = (
    # Arena and intervals
    Mutant(
        "arena-never-rotates",
        "agents/card_agents/evaluation/arena.py",
        "        seating = [1] * game.num_players\n        seating[seat] = 0\n",
        "        seating = [1] * game.num_players\n        seating[0] = 0\n",
        (ARENA,),
    ),
    Mutant(
        "arena-counts-rotations-as-deals",
        "agents/card_agents/evaluation/arena.py",
        "        estimate(sums / players),\n",
        "        estimate((points / unit).ravel()),\n",
        (ARENA,),
    ),
    Mutant(
        "arena-draws-are-won",
        "agents/card_agents/evaluation/arena.py",
        "(returns < own).sum(axis=1), (returns == own).sum(axis=1) - 1",
        "(returns <= own).sum(axis=1) - 1, (returns == own).sum(axis=1) - 1",
        (ARENA, TOURNAMENT),
    ),
    Mutant(
        "arena-names-a-forfeit-by-its-row",
        "agents/card_agents/evaluation/arena.py",
        "(first_table + tables[lost]).tolist()",
        "(first_table + lost).tolist()",
        (ARENA,),
    ),
    Mutant(
        "packs-of-all-seeds-overlap",
        "agents/card_agents/seeds.py",
        "np.uint64((self.seed << 32) % 2**64)",
        "np.uint64(self.seed % 2**64)",
        (
            ARENA,
            IDENTITY,
        ),
    ),
    Mutant(
        "salt-decides-nothing",
        "agents/card_agents/seeds.py",
        "hashlib.blake2b(bytes.fromhex(self.salt) + (",
        'hashlib.blake2b(b"" + (',
        (IDENTITY,),
    ),
    Mutant(
        "answers-judged-by-what-the-agent-left",
        "card_envs/players.py",
        "asked, legal = batches.copy(views), masks != 0",
        "asked, legal = views, masks",
        (ARENA,),
    ),
    Mutant(
        "intervals-of-the-sample-not-the-law",
        "agents/card_agents/evaluation/intervals.py",
        "values.std(ddof=1)",
        "values.std(ddof=0)",
        (ARENA,),
    ),
    Mutant(
        "intervals-one-degree-too-free",
        "agents/card_agents/evaluation/intervals.py",
        "half = t_quantile(size - 1)",
        "half = t_quantile(size)",
        (ARENA,),
    ),
    # Ratings and tournament
    Mutant(
        "ratings-errors-not-clustered-by-deal",
        "agents/card_agents/evaluation/tournament/ratings.py",
        "    scatter = gradients[:, free].T @ gradients[:, free] * deals / (deals - 1)\n",
        "    scatter = _curvature(won, expected)[np.ix_(free, free)]\n",
        (RATINGS,),
    ),
    Mutant(
        "ratings-pairs-of-a-deal-taken-as-independent",
        "agents/card_agents/evaluation/tournament/ratings.py",
        "    scatter = gradients[:, free].T @ gradients[:, free] * deals / (deals - 1)\n",
        "    scatter = np.zeros((int(free.sum()), int(free.sum())))\n"
        "    for (a, b), row in zip(pairs, scores, strict=True):\n"
        "        way = (np.arange(len(won)) == a).astype(float) - (np.arange(len(won)) == b)\n"
        "        scatter += row.var(ddof=1) * deals * np.outer(way[free], way[free])\n",
        (RATINGS,),
    ),
    Mutant(
        "ratings-bounds-of-one-deal",
        "agents/card_agents/evaluation/tournament/ratings.py",
        "np.minimum(3 * games, won.T / 2)",
        "np.minimum(games, won.T / 2)",
        (RATINGS,),
    ),
    Mutant(
        "sprt-error-rates-swapped",
        "agents/card_agents/evaluation/tournament/sequential.py",
        "return math.log(self.beta) - math.log(1 - self.alpha), math.log(1 - self.beta) - math.log(self.alpha)",
        "return math.log(self.alpha) - math.log(1 - self.beta), math.log(1 - self.alpha) - math.log(self.beta)",
        (SPRT,),
    ),
    Mutant(
        "sprt-tests-against-the-margin",
        "agents/card_agents/evaluation/tournament/sequential.py",
        "number * (self.margin + self.better) / 2",
        "number * self.margin",
        (SPRT,),
    ),
    Mutant(
        "sprt-without-the-imagined-spread",
        "agents/card_agents/evaluation/tournament/sequential.py",
        "pseudo * self.spread**2",
        "pseudo * 1e-9",
        (SPRT,),
    ),
    Mutant(
        "sprt-counts-deals-out-of-order",
        "agents/card_agents/evaluation/tournament/verdict.py",
        "        if job not in chunks:\n            break\n",
        "        if job not in chunks:\n            continue\n",
        (TOURNAMENT,),
    ),
    Mutant(
        "forfeit-numbered-within-its-chunk",
        "agents/card_agents/evaluation/arena.py",
        "forfeits += [(first_deal + table, seat, loser, which, why)",
        "forfeits += [(table, seat, loser, which, why)",
        (FOLDER,),
    ),
    Mutant(
        "chunk-read-from-its-neighbours-file",
        "agents/card_agents/evaluation/tournament/folder.py",
        "content = _read_json(self._file(job), ",
        "content = _read_json(self._file(job._replace(chunk=max(job.chunk - 1, 0))), ",
        (FOLDER,),
    ),
    Mutant(
        "chunk-of-another-job-taken",
        "agents/card_agents/evaluation/tournament/folder.py",
        'if content.get("job") != list(job):',
        'if content.get("job") == []:',
        (FOLDER,),
    ),
    Mutant(
        "chunk-of-another-plan-taken",
        "agents/card_agents/evaluation/tournament/folder.py",
        'if content.get("plan") != self.plan.digest:',
        'if content.get("plan") == "":',
        (FOLDER,),
    ),
    Mutant(
        "damaged-chunk-taken",
        "agents/card_agents/evaluation/tournament/folder.py",
        "if checksum != _checksum(content):",
        'if checksum == "":',
        (FOLDER,),
    ),
    Mutant(
        "plan-ignores-sample",
        "agents/card_agents/evaluation/tournament/plan.py",
        '            "deterministic": self.deterministic,\n',
        "",
        (IDENTITY, FOLDER),
    ),
    Mutant(
        "plan-ignores-its-layout",
        "agents/card_agents/evaluation/tournament/plan.py",
        '            "layout": self.game.rules_id,\n',
        "",
        (IDENTITY, FOLDER),
    ),
    Mutant(
        "plan-ignores-changed-files",
        "agents/card_agents/evaluation/tournament/plan.py",
        '            "files": self.files,\n',
        "",
        (IDENTITY,),
    ),
    Mutant(
        "plan-ignores-the-library",
        "agents/card_agents/evaluation/tournament/plan.py",
        '            "library": sources(),\n',
        "",
        (IDENTITY,),
    ),
    Mutant(
        "points-of-the-second-not-turned",
        "agents/card_agents/evaluation/tournament/results.py",
        "deals.append(-points)",
        "deals.append(points)",
        (TOURNAMENT,),
    ),
    Mutant(
        "rotation-factor-turned",
        "agents/card_agents/evaluation/tournament/results.py",
        "math.sqrt(without / with_rotation)",
        "math.sqrt(with_rotation / max(without, 1e-9))",
        (TOURNAMENT,),
    ),
    # Regret and equilibrium
    Mutant(
        "regret-interval-of-the-sum",
        "agents/card_agents/evaluation/regret.py",
        "estimate(ratio + (amounts - ratio * by) / by.mean())",
        "estimate(amounts / by.mean())",
        (REGRET,),
    ),
    Mutant(
        "regret-judges-where-there-is-no-choice",
        "agents/card_agents/evaluation/regret.py",
        "return solved & (game.masks(states).sum(axis=1) > 1)",
        "return solved & (game.masks(states).sum(axis=1) > 0)",
        (REGRET,),
    ),
    Mutant(
        "regret-tables-of-a-batch-numbered-from-nought",
        "agents/card_agents/evaluation/regret.py",
        "actions[judged], first_table + tables[judged]",
        "actions[judged], tables[judged]",
        (REGRET,),
    ),
    Mutant(
        "regret-of-seats-counted-once",
        "agents/card_agents/evaluation/regret.py",
        "* int((seating == 0).sum())",
        "* 1",
        (REGRET,),
    ),
    Mutant(
        "best-response-takes-the-least",
        "agents/card_agents/equilibrium/strategies.py",
        "if values[k] > values[best]:",
        "if values[k] < values[best]:",
        (EQUILIBRIUM,),
    ),
    Mutant(
        "regrets-of-both-seats-alike",
        "agents/card_agents/equilibrium/cfr.py",
        "(1.0 - 2.0 * who) / tree.deals",
        "1.0 / tree.deals",
        (EQUILIBRIUM,),
    ),
    Mutant(
        "last-policy-for-the-average",
        "agents/card_agents/equilibrium/cfr.py",
        "average[k] += weight * plan[k]",
        "average[k] = plan[k]",
        (EQUILIBRIUM, tests("tests/test_equilibrium_agents.py")),
    ),
    # Search
    Mutant(
        "pimc-looks-at-one-world",
        "agents/card_agents/players/search/pimc.py",
        "wanted = 1 if settled else count",
        "wanted = 1",
        (SEARCH,),
    ),
    Mutant(
        "ismcts-counts-for-the-first-mover",
        "agents/card_agents/players/search/ismcts.py",
        "lead_in(s.points, g, movers[k])",
        "lead_in(s.points, g, movers[0])",
        (SEARCH,),
    ),
    Mutant(
        "searchers-take-full-states",
        "agents/card_agents/players/search/searcher.py",
        'strange = np.flatnonzero(views["viewer"] != turns)',
        'strange = np.flatnonzero(views["viewer"] > turns)',
        (SEARCH,),
    ),
    # Network and training
    Mutant(
        "network-bias-of-any-shape",
        "agents/card_agents/players/network.py",
        " or bias.shape != weight.shape[:1]:",
        ":",
        (FILES,),
    ),
    Mutant(
        "network-bias-not-a-number",
        "agents/card_agents/players/network.py",
        "if not (np.isfinite(weight).all() and np.isfinite(bias).all()):",
        "if not np.isfinite(weight).all():",
        (FILES,),
    ),
    Mutant(
        "network-plays-illegally",
        "agents/card_agents/players/ppo.py",
        "return np.where(legal, self.logits(views, observations), np.float32(-np.inf))",
        "return self.logits(views, observations)",
        (NETWORK,),
    ),
    Mutant(
        "legs-repeat-their-dice",
        "agents/card_agents/training/run.py",
        "np.random.SeedSequence([self.settings.seed, self.legs])",
        "np.random.SeedSequence([self.settings.seed, 0])",
        (TROUBLE,),
    ),
    Mutant(
        "evaluation-on-the-deals-of-the-curve",
        "agents/card_agents/training/run.py",
        "MEASURING, EVALUATING = 0x5EED, 0xE7A1",
        "MEASURING, EVALUATING = 0x5EED, 0x5EED",
        (TROUBLE,),
    ),
    Mutant(
        "resumed-without-its-optimizer",
        "agents/card_agents/training/run.py",
        '            self.model.policy.optimizer.load_state_dict(content["optimizer"])\n',
        "",
        (TRAINING,),
    ),
    Mutant(
        "resumed-without-its-earlier-selves",
        "agents/card_agents/training/run.py",
        'for entry in content["selves"]:',
        'for entry in content["selves"][:0]:',
        (TRAINING,),
    ),
    Mutant(
        "oldest-selves-leave-the-pool-first",
        "agents/card_agents/training/pool.py",
        "del self.snapshots[1 + int(np.argmin(gaps)) if gaps else 0]",
        "del self.snapshots[0]",
        (TRAINING,),
    ),
    Mutant(
        "the-newest-self-plays-no-more-than-others",
        "agents/card_agents/training/pool.py",
        "min(int(own * 2 * older), older)",
        "min(int(own * (older + 1)), older)",
        (TRAINING,),
    ),
    # External bots
    Mutant(
        "bot-never-given-up",
        "agents/card_agents/players/external/bot.py",
        "        if self._failed_starts >= START_TRIES:\n",
        "        if self._failed_starts < 0:\n",
        (BOTS,),
    ),
    Mutant(
        "bots-outlive-a-killed-worker",
        "agents/card_agents/players/external/supervising.py",
        "if lifeline in ready or any(",
        "if any(",
        (ENDED,),
    ),
    Mutant(
        "daemons-of-bots-stay",
        "agents/card_agents/players/external/supervising.py",
        "_control(_ADOPT_ORPHANS, 1)",
        "_control(_ADOPT_ORPHANS, 0)",
        (ENDED,),
    ),
    Mutant(
        "bots-are-handed-the-generator",
        "agents/card_agents/players/external/bot.py",
        "words = _one_way(checked_words(random, len(views)))",
        "words = checked_words(random, len(views)).tolist()",
        (BOTS,),
    ),
    Mutant(
        "bots-may-play-what-is-illegal",
        "agents/card_agents/players/external/bot.py",
        "if 0 <= action < self.game.num_actions and legal[row, action]:",
        "if 0 <= action < self.game.num_actions:",
        (BOTS,),
    ),
    Mutant(
        "bots-go-on-after-a-failure",
        "agents/card_agents/players/external/bot.py",
        "                    if not isinstance(failure, Mistake):\n                        self._fail(seat)\n",
        "",
        (BOTS,),
    ),
)
