// The licence.
using System;
using System.Collections.Generic;

namespace App.Shapes
{
    /// <summary>A circle.</summary>
    [Serializable]
    public sealed partial class Circle : Base, IShape
    {
        private const int Max = 3;
        private readonly string _label, _other;
        public event EventHandler Changed;

        /// <summary>Makes one.</summary>
        public Circle(int radius) : base(radius) { var inner = 1; }

        ~Circle() { }

        public int Radius { get; set; }
        public string Label => _label;
        public int this[int index] { get { return index; } }

        [Obsolete]
        public override double Area() => 3.0;

        public static Circle operator +(Circle a, Circle b) { return a; }
        public static implicit operator int(Circle c) => 1;

        private async Task<T> Load<T>(string path) where T : class
        {
            int Local(int a) { return a; }
            return null;
        }

        void IShape.Draw() { }

        public enum Kind { Round, Square = 2 }

        public class Part
        {
            public int X;
        }
    }

    public interface IShape
    {
        double Area();
        int Sides { get; }
    }

    public struct Point
    {
        public int X, Y;
    }

    public record Person(string First, string Last);

    public record struct Size(int W, int H);

    public delegate void Handler(object sender, int code);

    internal static class Extensions
    {
        public static int Twice(this int value) => value * 2;
    }
}
