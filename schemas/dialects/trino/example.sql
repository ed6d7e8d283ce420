/* Titles; it's one row a title. */
CREATE TABLE IF NOT EXISTS lake.library.book (
    id bigint COMMENT 'never reused;',
    "title; main" varchar,
    place row(shelf varchar, line integer)
)
COMMENT 'Titles'
WITH (format = 'PARQUET', partitioning = ARRAY['month(added)']);
CREATE OR REPLACE VIEW lake.library.new_book SECURITY INVOKER AS
SELECT b.id, t.tag FROM lake.library.book AS b CROSS JOIN UNNEST(b.tags) AS t (tag); -- one row a tag
CREATE FUNCTION due(days bigint) RETURNS date
BEGIN
  DECLARE n bigint DEFAULT days;
  RETURN current_date;
END;
COMMENT ON TABLE lake.library.book IS 'Titles; ''all''';
INSERT INTO lake.library.book VALUES (1, 'x;', ROW('a', 1));
CALL lake.system.sync_partition_metadata('library', 'book', 'ADD');
