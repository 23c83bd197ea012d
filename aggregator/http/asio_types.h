// The Asio types of this folder. These types have a concrete executor, because Asio's default executor costs an
// allocation and an indirect call for each operation.
#pragma once

#include <utility>  // first, because Asio's coroutine header uses std::exchange without including <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

namespace hearsay::http {

namespace asio = boost::asio;
using boost::system::error_code;

using Executor = asio::io_context::executor_type;
using TcpSocket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
using TcpAcceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;
using SteadyTimer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;

template <class T>
using Awaitable = asio::awaitable<T, Executor>;
using UseAwaitable = asio::use_awaitable_t<Executor>;
// A completion token that resumes the coroutine, and stores an error in a variable instead of throwing.
using AwaitWithError = asio::redirect_error_t<UseAwaitable>;

}  // namespace hearsay::http
