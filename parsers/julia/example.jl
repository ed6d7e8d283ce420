"""
Orders of a small shop — «naïve», but enough.
"""
module Shop

using LinearAlgebra, Dates
using Statistics: mean, std as deviation
import Base: +, show
import ..Money
include("money.jl")

export Order, total, @checked

const LIMIT = 100
const RATE::Float64 = 0.19
const α, β = 1, 2
const Lines{T} = Vector{T}
const Price = Union{Int, Nothing}
Pairs{T} = Tuple{T, T}
global counter = 0
cache = Dict{Int, Any}()

"What can be priced."
abstract type Priced{T<:Real} <: Any end
primitive type Cent <: Integer 64 end

"""
    Line(name, price)

A line of an order.
"""
struct Line{T<:Real} <: Priced{T}
    name::String
    "in cents"
    price::T

    Line(name, price::T) where {T} = new{T}(name, price)
    function Line{T}(name) where T
        new{T}(name, zero(T))
    end
end

# The state may change,
# the number not.
mutable struct Order
    const number::Int = 1
    lines::Vector{Line}
    note
end

Base.@kwdef struct Options
    width::Int = 80
    color = :red
end

struct Empty end
mutable struct Point; x; y::Int; end

@enum State open=1 paid shipped
@enum Color::UInt8 begin
    red
    green = 2
end

"""
    total(order; tax = true)

Return the sum of all lines, in cents.
"""
function total(order::Order; tax::Bool = true)::Int
    net = sum(line -> line.price, order.lines; init = 0)
    addtax(x) = x * (1 + RATE)
    @info "summed" net
    return tax ? round(Int, addtax(net)) : net
end

function merge_orders(first::Order, second::Order,
                      rest::Order...) where {T<:Real, S}
    foldl(+, rest; init = first + second)
end

Base.show(io::IO, line::Line) = print(io, line.name, " ", Money.format(line.price))
Base.:(==)(a::Line, b::Line) = a.price == b.price
function Base.getindex(order::Order, i::Int)::Line
    order.lines[i]
end
+(a::Order, b::Order) = Order(vcat(a.lines, b.lines))
a ⊕ b = a + b
(options::Options)(x) = x * options.width
price(x::T)::T where {T} = x; note(order) = order.note
Lines{T}(n::Int) where {T} = Lines{T}(undef, n)

function later end

double = x -> 2x
triple = function (x)
    3x
end

@inline fast(x) = muladd(x, x, 1)
@generated function sized(x)
    :(sizeof(x))
end

#=
Checks a condition at run time.
=#
macro checked(condition)
    return :($(esc(condition)) || error("no"))
end

for name in (:paid, :shipped)
    @eval $(Symbol(:is, name))(order) = order.state == $name
    @eval named(order::$name) = 1
end

if VERSION >= v"1.9"
    newer(x) = stack(x)
end

function   oddly( a ,
  b ) a+b end

baremodule Bare
    f(größe) = größe
end

@doc raw"""
Returns ``\alpha``.
"""
function documented() α end

end # module

@testset "orders" begin
    @test Shop.total.([Shop.Order()]) == 0
    @testset "of $n lines" for n in 1:3
        @test n > 0
    end
end
