CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE pair_tables (
	division_id INTEGER NOT NULL, 
	board_class TEXT NOT NULL, 
	a_revision_id INTEGER NOT NULL, 
	b_revision_id INTEGER NOT NULL, 
	ll INTEGER NOT NULL, 
	ld INTEGER NOT NULL, 
	lw INTEGER NOT NULL, 
	dl INTEGER NOT NULL, 
	dd INTEGER NOT NULL, 
	dw INTEGER NOT NULL, 
	wl INTEGER NOT NULL, 
	wd INTEGER NOT NULL, 
	ww INTEGER NOT NULL, 
	a_moves BIGINT NOT NULL, 
	a_time_us BIGINT NOT NULL, 
	a_max_us BIGINT NOT NULL, 
	a_simulations BIGINT NOT NULL, 
	a_searched_us BIGINT NOT NULL, 
	b_moves BIGINT NOT NULL, 
	b_time_us BIGINT NOT NULL, 
	b_max_us BIGINT NOT NULL, 
	b_simulations BIGINT NOT NULL, 
	b_searched_us BIGINT NOT NULL, 
	plies BIGINT NOT NULL, 
	repeats INTEGER NOT NULL, 
	CONSTRAINT pk_pair_tables PRIMARY KEY (division_id, board_class, a_revision_id, b_revision_id), 
	CONSTRAINT fk_pair_tables_a_revision_id_revisions FOREIGN KEY(a_revision_id) REFERENCES revisions (id), 
	CONSTRAINT fk_pair_tables_b_revision_id_revisions FOREIGN KEY(b_revision_id) REFERENCES revisions (id), 
	CONSTRAINT fk_pair_tables_division_id_divisions FOREIGN KEY(division_id) REFERENCES divisions (id)
);
CREATE TABLE ratings (
	division_id INTEGER NOT NULL, 
	revision_id INTEGER NOT NULL, 
	elo DOUBLE NOT NULL, 
	games INTEGER NOT NULL, 
	CONSTRAINT pk_ratings PRIMARY KEY (division_id, revision_id), 
	CONSTRAINT fk_ratings_division_id_divisions FOREIGN KEY(division_id) REFERENCES divisions (id), 
	CONSTRAINT fk_ratings_revision_id_revisions FOREIGN KEY(revision_id) REFERENCES revisions (id)
);
CREATE TABLE opening_sets (
	content_hash TEXT NOT NULL, 
	name TEXT NOT NULL, 
	lines TEXT NOT NULL, 
	created_at DOUBLE NOT NULL, 
	CONSTRAINT pk_opening_sets PRIMARY KEY (content_hash)
);
CREATE TABLE last_words (
	game_id INTEGER NOT NULL, 
	stderr TEXT NOT NULL, 
	messages TEXT NOT NULL, 
	CONSTRAINT pk_last_words PRIMARY KEY (game_id), 
	CONSTRAINT fk_last_words_game_id_games FOREIGN KEY(game_id) REFERENCES games (id)
);
CREATE TABLE solved_positions (
	"key" BLOB NOT NULL, 
	solver_version INTEGER NOT NULL, 
	nodes BIGINT NOT NULL, 
	bounds BLOB NOT NULL, 
	CONSTRAINT pk_solved_positions PRIMARY KEY ("key")
);
CREATE TABLE verdicts (
	game_id INTEGER NOT NULL, 
	solver_version INTEGER NOT NULL, 
	nodes BIGINT NOT NULL, 
	moves BLOB NOT NULL, 
	CONSTRAINT pk_verdicts PRIMARY KEY (game_id), 
	CONSTRAINT fk_verdicts_game_id_games FOREIGN KEY(game_id) REFERENCES games (id)
);
CREATE TABLE tuning_steps (
	run_id INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	a TEXT NOT NULL, 
	b TEXT NOT NULL, 
	pentanomial TEXT NOT NULL, 
	forfeits INTEGER NOT NULL, 
	estimate TEXT NOT NULL, 
	duration_us BIGINT NOT NULL, 
	finished_at DOUBLE NOT NULL, 
	CONSTRAINT pk_tuning_steps PRIMARY KEY (run_id, step), 
	CONSTRAINT fk_tuning_steps_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (id)
);
CREATE TABLE "bots" (
	id INTEGER NOT NULL CONSTRAINT pk_bots PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	family TEXT NOT NULL, 
	spec TEXT NOT NULL, 
	based_on TEXT, 
	change TEXT NOT NULL, 
	created_at DOUBLE NOT NULL, 
	retired_at DOUBLE, 
	CONSTRAINT uq_bots_name UNIQUE (name)
);
CREATE TABLE "revisions" (
	id INTEGER NOT NULL CONSTRAINT pk_revisions PRIMARY KEY AUTOINCREMENT, 
	bot_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	recency INTEGER NOT NULL, 
	content_hash TEXT NOT NULL, 
	launch TEXT NOT NULL, 
	budgets TEXT NOT NULL, 
	boards TEXT, 
	files TEXT NOT NULL, 
	created_at DOUBLE NOT NULL, archive TEXT CONSTRAINT fk_revisions_archive_bot_archives REFERENCES bot_archives (sha256), 
	CONSTRAINT fk_revisions_bot_id_bots FOREIGN KEY(bot_id) REFERENCES bots (id), 
	CONSTRAINT uq_revisions_bot_id_content_hash UNIQUE (bot_id, content_hash), 
	CONSTRAINT uq_revisions_bot_id_number UNIQUE (bot_id, number)
);
CREATE TABLE "divisions" (
	id INTEGER NOT NULL CONSTRAINT pk_divisions PRIMARY KEY AUTOINCREMENT, 
	"key" TEXT NOT NULL, 
	label TEXT NOT NULL, 
	boards TEXT NOT NULL, 
	opening_plies INTEGER, 
	budget TEXT NOT NULL, openings TEXT, fixed_opening INTEGER, adjudicate INTEGER, 
	CONSTRAINT uq_divisions_key UNIQUE ("key"), 
	CONSTRAINT uq_divisions_label UNIQUE (label)
);
CREATE TABLE "runs" (
	id INTEGER NOT NULL CONSTRAINT pk_runs PRIMARY KEY AUTOINCREMENT, 
	kind TEXT NOT NULL, 
	rated BOOLEAN NOT NULL, 
	stream TEXT NOT NULL, 
	identity TEXT NOT NULL, 
	settings TEXT NOT NULL, 
	seed BIGINT NOT NULL, 
	division_id INTEGER NOT NULL, 
	target_games INTEGER, 
	status TEXT NOT NULL, 
	started_at DOUBLE NOT NULL, 
	ended_at DOUBLE, 
	note TEXT NOT NULL, verdict TEXT, 
	CONSTRAINT fk_runs_division_id_divisions FOREIGN KEY(division_id) REFERENCES divisions (id)
);
CREATE INDEX ix_runs_stream ON runs (stream);
CREATE TABLE "pairs" (
	id INTEGER NOT NULL CONSTRAINT pk_pairs PRIMARY KEY AUTOINCREMENT, 
	run_id INTEGER NOT NULL, 
	stream TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	a_revision_id INTEGER NOT NULL, 
	b_revision_id INTEGER NOT NULL, 
	board TEXT NOT NULL, 
	board_class TEXT NOT NULL, 
	opening TEXT NOT NULL, 
	seed BIGINT NOT NULL, 
	status TEXT NOT NULL, 
	aborts INTEGER NOT NULL, 
	finished_at DOUBLE, 
	CONSTRAINT fk_pairs_a_revision_id_revisions FOREIGN KEY(a_revision_id) REFERENCES revisions (id), 
	CONSTRAINT fk_pairs_b_revision_id_revisions FOREIGN KEY(b_revision_id) REFERENCES revisions (id), 
	CONSTRAINT fk_pairs_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (id), 
	CONSTRAINT uq_pairs_stream_number UNIQUE (stream, number)
);
CREATE INDEX ix_pairs_run_id_status ON pairs (run_id, status);
CREATE INDEX ix_pairs_aborted ON pairs (run_id) WHERE aborts > 0;
CREATE TABLE "games" (
	id INTEGER NOT NULL CONSTRAINT pk_games PRIMARY KEY AUTOINCREMENT, 
	pair_id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	division_id INTEGER NOT NULL, 
	rated BOOLEAN NOT NULL, 
	game INTEGER NOT NULL, 
	first_revision_id INTEGER NOT NULL, 
	second_revision_id INTEGER NOT NULL, 
	board TEXT NOT NULL, 
	board_class TEXT NOT NULL, 
	moves TEXT NOT NULL, 
	opening_plies INTEGER NOT NULL, 
	plies INTEGER NOT NULL, 
	seed BIGINT NOT NULL, 
	result TEXT NOT NULL, 
	termination TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	offender INTEGER, 
	started_at DOUBLE NOT NULL, 
	duration_us BIGINT NOT NULL, 
	first_moves INTEGER NOT NULL, 
	first_time_us BIGINT NOT NULL, 
	first_max_us BIGINT NOT NULL, 
	first_simulations BIGINT NOT NULL, 
	first_searched_us BIGINT NOT NULL, 
	second_moves INTEGER NOT NULL, 
	second_time_us BIGINT NOT NULL, 
	second_max_us BIGINT NOT NULL, 
	second_simulations BIGINT NOT NULL, 
	second_searched_us BIGINT NOT NULL, 
	line_hash BIGINT NOT NULL, 
	repeat BOOLEAN NOT NULL, 
	thoughts BLOB NOT NULL, 
	CONSTRAINT fk_games_division_id_divisions FOREIGN KEY(division_id) REFERENCES divisions (id), 
	CONSTRAINT fk_games_first_revision_id_revisions FOREIGN KEY(first_revision_id) REFERENCES revisions (id), 
	CONSTRAINT fk_games_pair_id_pairs FOREIGN KEY(pair_id) REFERENCES pairs (id), 
	CONSTRAINT fk_games_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (id), 
	CONSTRAINT fk_games_second_revision_id_revisions FOREIGN KEY(second_revision_id) REFERENCES revisions (id), 
	CONSTRAINT uq_games_pair_id_game UNIQUE (pair_id, game)
);
CREATE INDEX ix_games_forfeited ON games (division_id) WHERE offender IS NOT NULL;
CREATE INDEX ix_games_lines ON games (line_hash, division_id, rated, first_revision_id, second_revision_id);
CREATE TABLE run_bots (
	run_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	revision_id INTEGER NOT NULL, 
	CONSTRAINT pk_run_bots PRIMARY KEY (run_id, name), 
	CONSTRAINT fk_run_bots_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (id), 
	CONSTRAINT fk_run_bots_revision_id_revisions FOREIGN KEY(revision_id) REFERENCES revisions (id)
);
CREATE TABLE forfeits (
	division_id INTEGER NOT NULL, 
	a_revision_id INTEGER NOT NULL, 
	b_revision_id INTEGER NOT NULL, 
	offender INTEGER NOT NULL, 
	games INTEGER NOT NULL, 
	board_class TEXT NOT NULL, 
	termination TEXT NOT NULL, 
	CONSTRAINT pk_forfeits PRIMARY KEY (division_id, board_class, a_revision_id, b_revision_id, offender, termination), 
	CONSTRAINT fk_forfeits_division_id_divisions FOREIGN KEY(division_id) REFERENCES divisions (id), 
	CONSTRAINT fk_forfeits_a_revision_id_revisions FOREIGN KEY(a_revision_id) REFERENCES revisions (id), 
	CONSTRAINT fk_forfeits_b_revision_id_revisions FOREIGN KEY(b_revision_id) REFERENCES revisions (id)
);
CREATE TABLE last_commits (
	writer BIGINT NOT NULL, 
	number BIGINT NOT NULL, 
	committed_at DOUBLE NOT NULL, 
	CONSTRAINT pk_last_commits PRIMARY KEY (writer)
);
CREATE TABLE jobs (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	command TEXT NOT NULL, 
	folder TEXT NOT NULL, 
	author TEXT NOT NULL, 
	note TEXT NOT NULL, 
	status TEXT NOT NULL, 
	added_at DOUBLE NOT NULL, 
	ended_at DOUBLE, 
	exit_code INTEGER, 
	result TEXT NOT NULL
);
CREATE TABLE bot_archives (
	sha256 TEXT NOT NULL, 
	manifest TEXT NOT NULL, 
	bytes BIGINT NOT NULL, 
	CONSTRAINT pk_bot_archives PRIMARY KEY (sha256)
);
CREATE TABLE bot_files (
	sha256 TEXT NOT NULL, 
	part INTEGER NOT NULL, 
	content BLOB NOT NULL, 
	CONSTRAINT pk_bot_files PRIMARY KEY (sha256, part)
);
INSERT INTO alembic_version VALUES ('0024');
