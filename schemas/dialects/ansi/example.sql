-- Titles; it's one row a title.
CREATE TABLE ${schema}.book (
  id INTEGER NOT NULL,
  title VARCHAR(200) DEFAULT 'it''s; untitled', /* as "printed"; */
  "a; b" DATE,
  CONSTRAINT book_pk PRIMARY KEY (id)
);
CREATE TABLE {{ schema }}.copy (id INTEGER REFERENCES book (id))
/
{% if drop_first %}
DROP TABLE reader;
{% endif %}
{# a reader; who's one #}
CREATE TABLE reader (id INTEGER)

CREATE VIEW new_book AS SELECT * FROM book WHERE title = :title AND id = {{ var('wanted;') }};
CREATE TRIGGER added AFTER INSERT ON book FOR EACH ROW BEGIN ATOMIC
  UPDATE book SET title = CASE WHEN id > 0 THEN 'x;' END;
END;
INSERT INTO book (id, title) VALUES (1, 'O'Brien; the first');
INSERT INTO copy (id) VALUES (1);
CREATE TABLE unclosed (title VARCHAR(10) DEFAULT 'none);
CREATE TABLE found (id INTEGER);
WITH new AS (SELECT 1) SELECT * FROM new; -- the end
UPDATE book SET title = 'cut off
