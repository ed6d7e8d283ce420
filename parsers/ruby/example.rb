#!/usr/bin/env ruby
# frozen_string_literal: true

# Orders of a small shop.
# They are kept in memory — no database («naïve», but enough).

require "set"
require_relative "shop/money"
autoload :Receipt, "shop/receipt"

module Shop
  VERSION = "1.2.0"
  WIDTH, HEIGHT = 80, 24
  DEFAULTS ||= { currency: "€" }.freeze

  # Something that went wrong while ordering.
  Error = Class.new(StandardError)

  # A line of an order.
  Line = Struct.new(:name, :price, keyword_init: true) do
    def total(count = 1) = price * count
  end

  Point = Data.define(:x, :y)

  # What can be priced.
  module Priced
    extend ActiveSupport::Concern

    class_methods do
      def cheapest(items)
        items.min_by(&:price)
      end
    end

    def price_with_tax(rate: 0.19)
      (price * (1 + rate)).round(2)
    end
  end

  class Order < Base
    include Priced
    include Enumerable

    attr_reader :lines
    attr_accessor :customer, :note # both may be nil
    class_attribute :limit, default: 100

    belongs_to :shop
    has_many :payments, dependent: :destroy
    scope :open, -> { where(state: "open") }

    validates :customer, presence: true

    ##
    # Makes an order for a customer.
    #
    # @param customer [String]
    def initialize(customer, lines: [], &block)
      @customer = customer
      @lines = Set.new(lines)
      instance_eval(&block) if block
      freeze_totals
      self
    end

    # Adds a line; the same line twice counts once.
    def <<(line)
      raise Error, "closed" if closed?
      lines.add(line)
      self
    end

    def [](name) = lines.find { |line| line.name == name }
    def note=(text); @note = text.strip; end
    def closed?() @closed end; def close!() @closed = true end

    def each
      return to_enum unless block_given?
      lines.each { |line| yield line }
    end
    alias each_line each
    alias_method :size, :count

    define_method(:to_s) { "Order of #{customer}" }

    class << self
      # Builds an order from a hash.
      def from_h(hash)
        new(hash.fetch(:customer), lines: hash[:lines].map { |h| Line.new(**h) })
      end

      private

      def registry = @registry ||= {}
    end

    def self.parse(text,
                   separator: ";")
      text.split(separator).map(&:strip)
    end

    # Only for the accountant.
    private def margin(rate) = total * rate

    private

    # Nested, and deliberately
    # oddly laid out.
    class Visitor ; def visit ( order )
        order . each do |line| puts line . name end end
    end
  end

  class Cart::Item < Order; end
end

class Shop::Order
  def self.method_missing(name, *args)
    super
  end
end

=begin
Adds currencies to numbers.
=end
module Shop::Currencies
  refine Integer do
    def euros
      Shop::Money.new(self, "€")
    end
  end
end

double = ->(x) { x * 2 }
TRIPLE = lambda do |x|
  x * 3
end
$shop = Shop::Order.new("Zoë")

# Prints the report.
def report(order, io: $stdout)
  io.puts <<~TEXT
    def not_a_method
    end
  TEXT
end

def $shop.open? = true

RSpec.describe Shop::Order do
  let(:order) { described_class.new("Ann") }

  context "when empty" do
    it "has no lines" do
      expect(order.lines).to be_empty
    end
    it("adds") { order << Shop::Line.new(name: "tea", price: 2) }
  end
end

namespace :shop do
  desc "Counts the orders"
  task :count, [:since] => :environment do |_task, args|
    puts Shop::Order.since(args[:since]).size
  end
end
