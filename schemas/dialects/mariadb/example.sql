/*M!999999\- enable the sandbox mode */
-- MariaDB dump 10.19-11.4.2-MariaDB, for Linux (x86_64)
/*!40101 SET NAMES utf8mb4 */;

CREATE OR REPLACE TABLE `reader` (
  `id` uuid NOT NULL DEFAULT uuid(),
  `name` varchar(100) INVISIBLE COMMENT 'it''s private; never shown',
  PRIMARY KEY (`id`)
) ENGINE=Aria WITH SYSTEM VERSIONING;

CREATE SEQUENCE `card` START WITH 1000;

DELIMITER //
CREATE OR REPLACE DEFINER=`root`@`localhost` PROCEDURE `greet`()
BEGIN NOT ATOMIC
  SELECT 'hello;';
END//
DELIMITER ;
INSERT INTO `reader` (`id`) VALUES (uuid()) RETURNING `id`;
