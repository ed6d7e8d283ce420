// Orders and how they are stored.

using System;
using System.Collections.Generic;
using static System.Math;
using Json = Newtonsoft.Json.JsonConvert;

[assembly: CLSCompliant(true)]

namespace Shop.Orders;

/// <summary>
/// What became of an order.
/// </summary>
public enum Status
{
    /// <summary>Not yet paid.</summary>
    Open,
    [Obsolete("use Done")] Closed = 2,
    Done,
}

/// <summary>Tells when an order changes.</summary>
public delegate void Changed(object sender, int id);

public interface IStore<T> where T : class
{
    /// <summary>Finds by key.</summary>
    T? Find(int key);
    int Count { get; }
    event Changed OnChange;
}

public record Customer(string Name, int Age = 0);
public readonly record struct Money(decimal Amount, string Currency)
{
    public static Money operator +(Money a, Money b) => new(a.Amount + b.Amount, a.Currency);
    public static implicit operator decimal(Money m) => m.Amount;
}

/* An old-style comment
   over two lines. */
[Serializable]
[Table("orders", Schema = "shop")]
public sealed partial class Order<TLine> : Entity, IStore<TLine>, IDisposable
    where TLine : class, new()
{
    public const int MaxLines = 100, MinLines = 1;
    private static readonly Dictionary<int, string> names = new Dictionary<int, string>();
    private int _total;
    private readonly Func<int, int> _double = x => x * 2;
    public event EventHandler Saved;

    static Order() { }

    /// <summary>Makes an empty order.</summary>
    public Order(int id) : base(id)
    {
        Id = id;
    }

    ~Order() => Dispose();

    [JsonProperty("id")]
    public int Id { get; private set; } = 1;

    public int Total
    {
        get { return _total; }
        set
        {
            _total = Max(value, 0);
            Saved?.Invoke(this, EventArgs.Empty);
        }
    }

    public string Label => $"Bestellung „{Id}“ — {Total:C}";

    public TLine this[int index] { get => Lines[index]; set => Lines[index] = value; }

    public event Changed OnChange { add { } remove { } }

    /// <summary>
    /// Adds lines, and says how many there are.
    /// </summary>
    /// <param name="lines">The lines.</param>
    [Obsolete]
    public async Task<int> AddAsync<TSource>(IEnumerable<TSource> lines, [FromBody] int limit = 3)
        where TSource : TLine
    {
        int Checked(int n) => n > limit ? throw new ArgumentException(nameof(lines)) : n;
        Func<TSource, bool> keep = line => line != null;
        await Store.SaveAsync<TSource>(lines.Where(keep));
        var writer = new System.IO.StringWriter();
        Json.Serialize(new List<int>());
        return Checked(Convert<int>(1));
    }

    public int Add(TLine line) => 1; public int Add(TLine line, int times) => times;

    TLine? IStore<TLine>.Find(int key) => null;

    [DllImport("native")] private static extern int Native(int a);
    public void Dispose() { }

    public class Builder
    {
        internal struct State { public int Step; public int Next; }
        public   Builder
            With( int   a )
        { return this ; }
    }
}

#if DEBUG
#region Extensions
internal static class OrderExtensions
{
    public static bool IsLarge(this Order<Line> order) => order.Total > 1000;
}
#endregion
#endif
