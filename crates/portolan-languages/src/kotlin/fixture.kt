package shop.cart

import shop.money.Amount

/** Where items are kept. */
interface Store<T> {
    val size: Int
    fun put(item: T): Boolean
}

/** What is bought. */
data class Item(val name: String, private var price: Int, note: String)

enum class State(val code: Int) {
    OPEN(1),
    PAID(2) {
        override fun isFinal() = true
    };

    open fun isFinal() = false
}

sealed class Result {
    object None : Result()
    class Some(val value: Int) : Result()
}

typealias Items = List<Item>

const val LIMIT = 10

open class Cart(private val store: Store<Item>) : Store<Item> by store {
    constructor(count: Int) : this(MemoryStore(count)) {
        println(count)
    }

    // Counts what is in it.
    override val size: Int
        get() = store.size

    var state = State.OPEN
        private set

    suspend fun total(items: Items): Int {
        val sum = items.sumOf { it.name.length }
        fun double(value: Int) = value * 2
        return double(sum)
    }

    private fun clear() {}

    companion object {
        fun empty() = Cart(0)
    }
}

object Registry {
    private val carts = mutableListOf<Cart>()

    fun add(cart: Cart) = carts.add(cart)
}

fun String.shout(): String = uppercase()

inline fun <reified T> Store<T>.isEmpty(): Boolean {
    return size == 0
}

val Cart.isOpen: Boolean
    get() = state == State.OPEN

fun main() {
    Registry.add(Cart.empty())
}
