using System;
using Microsoft.EntityFrameworkCore.Migrations;

namespace Shop.Migrations
{
    [Migration("20240301120000_Start")]
    public partial class Start : Migration
    {
        private const string Orders = "Orders";

        protected override void Up(MigrationBuilder migrationBuilder)
        {
            migrationBuilder.EnsureSchema(name: "sales");

            migrationBuilder.CreateTable(
                name: "Customers",
                schema: "sales",
                columns: table => new
                {
                    Id = table.Column<int>(type: "int", nullable: false)
                        .Annotation("SqlServer:Identity", "1, 1"),
                    Mail = table.Column<string>(maxLength: 80, nullable: false),
                    Note = table.Column<string>(type: "nvarchar(max)", nullable: true, comment: "of the clerk"),
                    Key = table.Column<Guid>(nullable: false, defaultValue: new Guid("00000000-0000-0000-0000-000000000001")),
                    kind = table.Column<byte>(name: "Kind of", nullable: false, defaultValue: (byte)1),
                    Full = table.Column<string>(type: "text", nullable: true, computedColumnSql: "[Mail] + [Note]")
                },
                constraints: table =>
                {
                    table.PrimaryKey("PK_Customers", x => x.Id);
                    table.UniqueConstraint("AK_Customers_Mail", x => x.Mail);
                    table.CheckConstraint("CK_Kind", "[Kind of] > 0");
                });

            migrationBuilder.CreateTable(
                name: Orders,
                columns: table => new
                {
                    Shop = table.Column<long>(nullable: false),
                    No = table.Column<long>(nullable: false),
                    CustomerId = table.Column<int>(nullable: true),
                    At = table.Column<DateTime>(type: "datetime2", nullable: false, defaultValueSql: "now()")
                },
                constraints: table =>
                {
                    table.PrimaryKey("PK_Orders", x => new { x.Shop, x.No });
                    table.ForeignKey(
                        name: "FK_Orders_Customers",
                        column: x => x.CustomerId,
                        principalSchema: "sales",
                        principalTable: "Customers",
                        principalColumn: "Id",
                        onDelete: ReferentialAction.Cascade);
                });

            migrationBuilder.CreateIndex(name: "IX_At", table: Orders, columns: new[] { "Shop", "At" }, unique: true);
            migrationBuilder.CreateIndex("IX_Customer", Orders, "CustomerId", unique: true, filter: "[CustomerId] IS NOT NULL");
            migrationBuilder.CreateIndex(name: "IX_Some", table: Orders, column: "No", unique: true, filter: "[No] > 5");
            migrationBuilder.CreateIndex(name: "IX_No", table: Orders, column: "No");
            migrationBuilder.AddColumn<decimal>(name: "Total", table: Orders, nullable: false, defaultValue: -0.5m);
            migrationBuilder.AlterColumn<string>(
                name: "CustomerId", table: Orders, type: "text", nullable: true, oldClrType: typeof(int));
            Further(migrationBuilder);
            if (migrationBuilder.ActiveProvider == "Microsoft.EntityFrameworkCore.Sqlite")
            {
                migrationBuilder.DropTable(name: "OnlyOfSqlite");
            }
            if (migrationBuilder.IsNpgsql())
            {
                migrationBuilder.Sql(@"ALTER TABLE ""Orders"" ADD COLUMN ""Place"" text;");
            }
            migrationBuilder.Sql("UPDATE Orders SET Total = 1");
            migrationBuilder.Sql("DROP TABLE " + Environment.MachineName);
        }

        private void Further(MigrationBuilder builder)
        {
            builder.DropForeignKey(name: "FK_Orders_Customers", table: Orders);
            builder.DropPrimaryKey("PK_Orders", Orders);
            builder.RenameColumn(name: "No", table: Orders, newName: "Number");
            builder.RenameTable(name: Orders, newName: "Sales", newSchema: "sales");
            builder.AddPrimaryKey("PK_Sales", "Sales", new[] { "Shop", "Number" }, schema: "sales");
            builder.AddForeignKey("FK_Shop", "Sales", "Shop", "Shops", "sales", "sales", "Id");
            builder.DropColumn(name: "Note", schema: "sales", table: "Customers");
            builder.DropTable("Old");
            builder.InsertData(table: "Kinds", columns: new[] { "Id" }, values: new object[] { 1 });
            Further(builder);
        }

        protected override void Down(MigrationBuilder migrationBuilder)
        {
            migrationBuilder.DropTable(name: "Customers", schema: "sales");
        }
    }
}
