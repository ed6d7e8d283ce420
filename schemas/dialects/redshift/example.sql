/* Titles;
   it's one row a title. */
CREATE TABLE library.book (
    id bigint IDENTITY(1, 1) ENCODE az64,
    title varchar(256) ENCODE lzo DISTKEY
) DISTSTYLE KEY SORTKEY (id);
COPY library.book FROM 's3://books/all;' IAM_ROLE 'arn:aws:iam::1:role/load' CSV;
UNLOAD ('SELECT * FROM library.book WHERE title = ''it;''') TO 's3://books/out' IAM_ROLE default;
CREATE EXTERNAL TABLE spectrum.loan (id int) STORED AS PARQUET LOCATION 's3://loans/';
CREATE OR REPLACE PROCEDURE library.lend(n IN int) AS $$
BEGIN
    INSERT INTO library.book (title) VALUES ('x;');
END;
$$ LANGUAGE plpgsql;
CREATE MATERIALIZED VIEW library.new_book AUTO REFRESH YES AS SELECT * FROM library.book;
GRANT SELECT ON library.book TO GROUP readers; -- all of them
