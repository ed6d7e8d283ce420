USE [Library]
GO
/****** Object:  Table [dbo].[Book]    Script Date: 01/02/2024 10:00:00 ******/
SET ANSI_NULLS ON
GO
:setvar Owner "dbo"

-- A title; it's one row a title.
CREATE TABLE [dbo].[Book](
	[Id] [int] IDENTITY(1,1) NOT NULL,
	[Reader's; title] [nvarchar](max) NULL, -- as printed
	[State] AS (CASE WHEN [Id] > 0 THEN N'it''s there;'
		ELSE N'gone'
		END),
 CONSTRAINT [PK_Book] PRIMARY KEY CLUSTERED ([Id] ASC) WITH (PAD_INDEX = OFF) ON [PRIMARY]
) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]
GO 5
ALTER TABLE [dbo].[Book] WITH CHECK ADD
	CONSTRAINT [CK_Book] CHECK ([Id] > 0)
ALTER TABLE [dbo].[Book]
ALTER COLUMN [Id] bigint -- grown
-- Who reads.
CREATE TABLE Reader (Id int)
IF NOT EXISTS (SELECT 1
	FROM sys.objects)
BEGIN
	CREATE TABLE Desk (Id int)
END
ELSE DROP TABLE Desk
SET IDENTITY_INSERT [dbo].[Book] ON
INSERT [dbo].[Book] ([Id]) VALUES (1)
INSERT [dbo].[Book] ([Id]) VALUES (2)
INSERT INTO Reader (Id)
SELECT 1
UNION ALL
SELECT 2
WITH old AS (SELECT * FROM Book)
UPDATE old
SET Id = 1
MERGE Reader USING Book ON Reader.Id = Book.Id
WHEN MATCHED THEN
	UPDATE SET Id = 3
WHEN NOT MATCHED THEN
	INSERT VALUES (1);
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'Titles; it''s all'
	, @level0type=N'SCHEMA', @level0name=N'dbo'
go
create or alter procedure [dbo].[Lend] @Id int as
begin
	create table #lent (Id int);
	select @Id
	select 2
end
go
CREATE VIEW NewBook AS
WITH young AS (SELECT * FROM Book)
SELECT * FROM young
GO
