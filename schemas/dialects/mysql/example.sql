-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
/*!40101 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;

--
-- Table structure for table `book`
--

DROP TABLE IF EXISTS `book`;
CREATE TABLE `book` (
  `id` int(11) unsigned NOT NULL AUTO_INCREMENT,
  `title; main` varchar(255) DEFAULT 'it\'s untitled; yet' COMMENT "the \"main\" title; as printed",
  `added` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP, # when it's added; not printed
  PRIMARY KEY (`id`),
  KEY `added` (`added`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT='Titles'
/*!50100 PARTITION BY HASH (`id`)
PARTITIONS 4 */;

LOCK TABLES `book` WRITE;
INSERT INTO `book` VALUES (1,'one; two','2024-01-01 00:00:00'),(2,'it\'s','2024-01-01 00:00:00');
INSERT INTO `book` VALUES (3,'three','2024-01-01 00:00:00');
UNLOCK TABLES;

/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `new_book` AS select `book`.`id` AS `id` from `book` */;

# The number of books.
CREATE FUNCTION book_count() RETURNS int READS SQL DATA RETURN (SELECT COUNT(*) FROM book);

DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`%`*/ /*!50003 TRIGGER `book_added` BEFORE INSERT ON `book` FOR EACH ROW
BEGIN
  -- it's set once
  IF NEW.added IS NULL THEN SET NEW.added = NOW(); END IF;
END */;;
DELIMITER $$
CREATE PROCEDURE lend(IN book_id INT, OUT due DATE)
BEGIN
CREATE TEMPORARY TABLE lent (id INT);
  SELECT 5 -- 3
  , 6--1;
END$$
DELIMITER ;

CREATE PROCEDURE give_back() BEGIN
  CASE 1 WHEN 1 THEN SELECT 1; END CASE;
  WHILE FALSE DO SELECT 2; END WHILE;
END;
REPLACE INTO book SET id = 4;
source more.sql
SELECT * FROM book\G
