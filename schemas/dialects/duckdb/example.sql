INSTALL httpfs;
LOAD httpfs;
ATTACH 'dbname=library' AS pg (TYPE postgres);
-- Titles; it's one row a title.
CREATE OR REPLACE TABLE book AS SELECT * FROM read_csv('books;*.csv');
CREATE TABLE copy (id UBIGINT, tags VARCHAR[], place STRUCT(row INTEGER, shelf VARCHAR), "a; b" MAP(VARCHAR, INTEGER));
CREATE MACRO due(day, days := 14) AS day + days;
COPY book TO 'book.parquet' (FORMAT parquet); -- a copy
FROM 'copies.parquet' SELECT id, {'a': 'x;', 'b': 2} AS pair;
SELECT $tag$it's; raw$tag$, E'it\'s;' GROUP BY ALL;
.timer on
SUMMARIZE book;
