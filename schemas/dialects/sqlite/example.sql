PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
-- Titles; it's one row a title.
CREATE TABLE book (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  [title; main] TEXT DEFAULT "it's untitled",
  `qty; sold` BLOB SUB_TYPE TEXT
) STRICT;
INSERT INTO book VALUES(1,'one; ''two''',NULL);
INSERT INTO book VALUES(2,'line
INSERT INTO book VALUES(0);',X'00');
CREATE TABLE "reader card"(id INT, FOREIGN KEY(id) REFERENCES book(id)) WITHOUT ROWID; /* one each */
CREATE VIRTUAL TABLE book_text USING fts5(title, content='book');
CREATE TRIGGER book_removed AFTER DELETE ON book WHEN old.id > 0
BEGIN
  DELETE FROM "reader card" WHERE id = old.id;
  UPDATE book SET id = CASE WHEN id > 1 THEN id END;
END;
CREATE TEMP VIEW new_book AS SELECT * FROM book;
DELETE FROM sqlite_sequence;
COMMIT;
.mode csv
.import books.csv book
SELECT count(*) FROM book
