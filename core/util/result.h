// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <QtGlobal>

#include <type_traits>
#include <utility>
#include <variant>

namespace Pilothouse {

/// Marks the error side of a Result: `return fail(error);`.
template <typename E>
struct Failure {
    E error;
};

template <typename E>
Failure<std::decay_t<E>> fail(E &&error)
{
    return {std::forward<E>(error)};
}

/// A value or an error, with the names of std::expected, which GCC 12 does not offer in C++20.
/// No exceptions: reading the wrong side is a programming error and asserts.
template <typename T, typename E>
class [[nodiscard]] Result {
public:
    Result(T value)
        : m_state(std::in_place_index<0>, std::move(value))
    { }
    Result(Failure<E> failure)
        : m_state(std::in_place_index<1>, std::move(failure.error))
    { }

    [[nodiscard]] bool has_value() const { return m_state.index() == 0; }
    explicit operator bool() const { return has_value(); }
    [[nodiscard]] const T &value() const
    {
        Q_ASSERT(has_value());
        return *std::get_if<0>(&m_state);
    }
    [[nodiscard]] T &value()
    {
        Q_ASSERT(has_value());
        return *std::get_if<0>(&m_state);
    }
    [[nodiscard]] const E &error() const
    {
        Q_ASSERT(!has_value());
        return *std::get_if<1>(&m_state);
    }
    const T &operator*() const { return value(); }
    T &operator*() { return value(); }
    const T *operator->() const { return &value(); }
    T *operator->() { return &value(); }
    [[nodiscard]] T value_or(T other) const { return has_value() ? value() : std::move(other); }

private:
    std::variant<T, E> m_state;
};

/// Success without a value.
struct Done { };

} // namespace Pilothouse
