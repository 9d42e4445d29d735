//! A connection that holds a permit and can be closed from elsewhere.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio_rustls::server::TlsStream;
use tonic::transport::server::Connected;

use super::handle::ConnectionHandle;

/// The stream of bytes below a connection.
#[derive(Debug)]
pub(super) enum ServerStream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// A connection of a client.
pub(crate) struct ServerConnection {
    stream: ServerStream,
    handle: ConnectionHandle,
    /// Resolves when the connection is closed by its handle.
    closed: Pin<Box<dyn Future<Output = ()> + Send>>,
    _permit: OwnedSemaphorePermit,
}

impl ServerConnection {
    pub(super) fn new(
        stream: ServerStream,
        handle: ConnectionHandle,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        let closed = Box::pin(handle.closed());
        Self { stream, handle, closed, _permit: permit }
    }

    /// Returns the handle of the connection.
    pub(crate) fn handle(&self) -> &ConnectionHandle {
        &self.handle
    }

    /// Returns the TCP stream at the bottom.
    #[cfg(test)]
    pub(super) fn tcp(&self) -> &TcpStream {
        match &self.stream {
            ServerStream::Plain(stream) => stream,
            ServerStream::Tls(stream) => stream.get_ref().0,
        }
    }

    /// Returns an error if the connection was closed; otherwise wakes `cx` when it is.
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        match self.closed.as_mut().poll(cx) {
            Poll::Pending => Ok(()),
            Poll::Ready(()) => {
                // The future is polled again.
                self.closed = Box::pin(std::future::ready(()));
                Err(io::ErrorKind::ConnectionAborted.into())
            }
        }
    }
}

impl Drop for ServerConnection {
    fn drop(&mut self) {
        self.handle.close();
    }
}

impl Connected for ServerConnection {
    type ConnectInfo = ConnectionHandle;

    fn connect_info(&self) -> ConnectionHandle {
        self.handle.clone()
    }
}

impl AsyncRead for ServerConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(cx)?;
        match &mut self.stream {
            ServerStream::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            ServerStream::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for ServerConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        match &mut self.stream {
            ServerStream::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            ServerStream::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        match &mut self.stream {
            ServerStream::Plain(stream) => Pin::new(stream).poll_flush(cx),
            ServerStream::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        match &mut self.stream {
            ServerStream::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            ServerStream::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        match &mut self.stream {
            ServerStream::Plain(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
            ServerStream::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match &self.stream {
            ServerStream::Plain(stream) => stream.is_write_vectored(),
            ServerStream::Tls(stream) => stream.is_write_vectored(),
        }
    }
}
