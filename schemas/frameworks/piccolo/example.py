from piccolo.columns import M2M, ForeignKey, LazyTableReference, Numeric, Serial, Text, Varchar
from piccolo.table import Table


class Manager(Table):
    name = Varchar(length=100, unique=True)


class Band(Table, tablename="bands"):
    """A band."""

    code: Serial = Serial(primary_key=True)
    name = Varchar(50, help_text="as shown")
    boss = ForeignKey(references=Manager, null=True)
    hometown = Text(null=True, db_column_name="town")
    fee = Numeric(default=3)
    genres = M2M(LazyTableReference("GenreToBand", module_path=__name__))


class Note:
    name = "x"


async def find(name):
    bands = await Band.select(Band.name, Band.boss.name).where(Band.hometown == name).order_by(Band.fee)
    managers = await Manager.objects().where(Manager.name == name)
    return bands, managers


async def change(name):
    band = await Band.objects().get(Band.name == name)
    band.fee = 4
    await band.save()
    await Band.update({Band.name: "b"}).where(Band.name == name)
    await Band.insert(Band(name="c"))
    await Manager.delete().where(Manager.name == name)
    return await Band.exists().where(Band.name == name)
