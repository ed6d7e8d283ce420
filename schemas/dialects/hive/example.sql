SET hive.exec.dynamic.partition=true;
-- Titles; it's one row a title.
CREATE EXTERNAL TABLE IF NOT EXISTS library.book (
  id BIGINT COMMENT 'never reused;',
  title STRING COMMENT "the reader's title"
)
PARTITIONED BY (added STRING)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\;'
STORED AS TEXTFILE
LOCATION '/library/book';
ALTER TABLE library.book ADD IF NOT EXISTS PARTITION (added='2024-01-01');
LOAD DATA INPATH '/in/book.csv' INTO TABLE library.book PARTITION (added='2024-01-01');
!ls /library;
FROM library.book INSERT OVERWRITE TABLE library.new_book SELECT id, 'it\'s;';
MSCK REPAIR TABLE library.book;
