-- Titles; it's one row a title.
CREATE TABLE IF NOT EXISTS library.book ON CLUSTER main
(
    `id` UInt64 CODEC(Delta, ZSTD),
    `title; main` LowCardinality(String) DEFAULT 'it\'s; untitled' COMMENT 'as printed',
    `added` DateTime64(3) TTL added + INTERVAL 1 YEAR
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(added)
ORDER BY (id); -- sorted
CREATE MATERIALIZED VIEW library.new_book TO library.new AS SELECT id, countIf(added > now()) AS n FROM library.book GROUP BY id;
CREATE DICTIONARY library.names (id UInt64, name String) PRIMARY KEY id SOURCE(HTTP(url 'http://names;' format 'TSV')) LIFETIME(60);
INSERT INTO library.book VALUES (1, 'one;', now()), (2, 'two', now());
INSERT INTO library.book FORMAT JSONEachRow {"id": 3, "title; main": "three"};
CREATE FUNCTION twice AS (x) -> x * 2;
SELECT [1, 2][1], $heredoc$it's;$heredoc$ FROM library.book FINAL;
