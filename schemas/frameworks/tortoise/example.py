from enum import Enum

from tortoise import fields
from tortoise.expressions import Q
from tortoise.models import Model

from app.mixins import Stamped


class State(str, Enum):
    OPEN = "open"
    DONE = "done"


class Named(Model):
    name = fields.CharField(max_length=50)

    class Meta:
        abstract = True


class Tournament(Named):
    """A tournament."""

    state = fields.CharEnumField(State, default=State.OPEN)
    begins = fields.DatetimeField(auto_now_add=True)
    events: fields.ReverseRelation["Event"]

    class Meta:
        table = "tournaments"
        table_description = "all tournaments"


class Event(Named, Stamped):
    id = fields.BigIntField(primary_key=True)
    tournament = fields.ForeignKeyField("models.Tournament", related_name="events", source_field="cup_id")
    winner: fields.OneToOneNullableRelation["Team"] = fields.OneToOneField("models.Team", null=True)
    participants = fields.ManyToManyField("models.Team", related_name="events", through="event_team")
    friends = fields.ManyToManyField("models.Team", related_name="friendly")
    prize = fields.DecimalField(max_digits=10, decimal_places=2, description="in euro")

    class Meta:
        unique_together = (("name", "tournament"),)


class Team(Model):
    code = fields.CharField(pk=True, max_length=3)
    size = fields.IntField(default=1)


class Answer:
    name: str = ""


async def open_events(name):
    found = await Event.filter(Q(name__icontains=name), tournament__state=State.OPEN).order_by("-prize").prefetch_related("participants")
    return [event.prize for event in found]


async def names():
    return await Team.all().values_list("code", flat=True)


async def change(code):
    team = await Team.get_or_none(code=code)
    team.size = 3
    await team.save()
    await Team.filter(code=code).update(size=4)
    await Event.create(name="x", prize=1)
    await Team.filter(size__lt=1).delete()
    return await Team.exists(code=code)
