# Orders of a small shop — «naïve», but enough.

defmodule Shop.Order do
  @moduledoc """
  An order and its lines. It is kept in memory.

  ## Examples

      iex> Shop.Order.new("Ann")
  """

  use GenServer, restart: :transient
  use Ecto.Schema
  alias Shop.{Customer, Line}
  alias Shop.Money, as: Amount
  import Ecto.Query, only: [from: 2]
  require Logger

  @behaviour Shop.Priced
  @limit 100
  @states ~w(open paid)a
  @derive {Jason.Encoder, only: [:id]}
  @enforce_keys [:id]
  defstruct [:id, :customer, lines: [], state: :open]

  @typedoc "An order."
  @type t :: %__MODULE__{id: integer, lines: [Line.t()]}
  @type result(a) :: {:ok, a} | {:error, String.t()}
  @opaque token :: binary

  @doc "Returns the price in cents."
  @callback price(t) :: non_neg_integer
  @callback close!(order :: t, reason) :: :ok when reason: term
  @optional_callbacks close!: 2

  schema "orders" do
    field :note, :string
    belongs_to :shop, Shop
  end

  @doc """
  Makes an order for a customer.

  The lines come later.
  """
  @doc since: "1.2.0"
  @spec new(String.t(), keyword) :: t
  def new(customer, options \\ [])

  def new("", _options), do: raise(ArgumentError, "no customer")

  def new(customer, options) when is_binary(customer) and is_list(options) do
    id = Keyword.get_lazy(options, :id, &next_id/0)
    Logger.debug("new order #{id}")

    %__MODULE__{id: id, customer: customer}
    |> Map.put(:lines, [])
    |> validate
  end

  @impl true
  def handle_call({:add, line}, _from, %{lines: lines} = order),
    do: {:reply, :ok, %{order | lines: [line | lines]}}

  @impl GenServer
  @deprecated "use handle_call/3"
  def handle_cast(:close, order) do
    {:noreply, close(order)}
  end

  def limit, do: @limit
  def open?(%{state: state}), do: state == :open

  # Adds two orders.
  def left + right when is_struct(left), do: merge(left, right)

  defdelegate size(order), to: Enum, as: :count

  defp validate(order) do
    check = fn line -> line.price >= 0 end
    with true <- Enum.all?(order.lines, check),
         {:ok, order} <- Shop.Stock.reserve(order) do
      order
    else
      _ -> throw(:invalid)
    end
  end

  defp next_id, do: System.unique_integer([:positive])

  @doc ~S"""
  Tells whether a line is free, as a guard: `\d`.
  """
  defguard is_free(line) when line.price == 0

  @doc false
  defmacro __using__(_options) do
    quote do
      import Shop.Order
    end
  end

  defmacro unless_closed(order, do: block), do: quote(do: if(open?(unquote(order)), do: unquote(block)))

  for name <- [:paid, :shipped] do
    def unquote(:"#{name}?")(order), do: order.state == unquote(name)
  end

  defmodule Error do
    @moduledoc "Something went wrong while ordering."
    defexception [:message, code: 1]
  end

  defimpl String.Chars, for: __MODULE__ do
    def to_string(order), do: "Größe #{order.id}"
  end
end

defprotocol Shop.Priced do
  @doc "Returns the price."
  @spec price(t) :: integer
  def price(item)
end

defimpl Shop.Priced, for: Shop.Line do
  def price(%{price: price}), do: price
end

defimpl Shop.Priced, for: [Map, List] do
  def price(items), do: Enum.sum(items)
end

defmodule Shop.Odd do
  def  oddly( a ,b ) ,do:  a<>b;  def second(x), do: x
end

defmodule Shop.OrderTest do
  use ExUnit.Case, async: true

  setup do
    {:ok, order: Shop.Order.new("Zoë")}
  end

  describe "new/2" do
    @tag :slow
    test "has no lines", %{order: order} do
      assert order.lines == []
    end
  end

  property "adds up", do: check(all(x <- integer()), do: assert(x + 0 == x))
end
