//! The bridge from a port of the box's own loopback to the same port of the machine's. The command connects to a socket of
//! its own network; bytes are carried, and no socket of the machine ever comes into the box.

use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// More connections at once wait to be taken.
const MOST: usize = 256;

/// Carries connections until the command is `over`, and then what it still had said.
pub(super) async fn bridge(inside: std::net::TcpListener, to: SocketAddr, over: CancellationToken) {
    let Ok(inside) = TcpListener::from_std(inside) else { return };
    let mut carried = JoinSet::new();
    loop {
        while carried.try_join_next().is_some() {}
        if carried.len() >= MOST {
            carried.join_next().await;
        }
        tokio::select! {
            () = over.cancelled() => break,
            accepted = inside.accept() => match accepted {
                Ok((client, _)) => drop(carried.spawn(carry(client, to, over.clone()))),
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            },
        }
    }
    // Who connected, spoke and ended before anybody looked is still in the queue.
    let Ok(inside) = inside.into_std() else { return };
    while let Ok((client, _)) = inside.accept() {
        if let Ok(client) = client.set_nonblocking(true).and_then(|()| TcpStream::from_std(client)) {
            carried.spawn(carry(client, to, over.clone()));
        }
    }
    while carried.join_next().await.is_some() {}
}

/// Carries one connection both ways. Once the command is over, only what it had sent matters.
async fn carry(client: TcpStream, to: SocketAddr, over: CancellationToken) {
    // A port that closed meanwhile shows as a connection that ends at once.
    let Ok(server) = TcpStream::connect(to).await else { return };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let (mut client_says, mut to_client) = client.into_split();
    let (mut server_says, mut to_server) = server.into_split();
    let mut up = pin!(async {
        let _ = copy(&mut client_says, &mut to_server).await;
        let _ = to_server.shutdown().await;
    });
    let mut down = pin!(async {
        let _ = copy(&mut server_says, &mut to_client).await;
        let _ = to_client.shutdown().await;
    });
    let (mut sent, mut answered, mut ended) = (false, false, false);
    while !(sent && (answered || ended)) {
        tokio::select! {
            () = &mut up, if !sent => sent = true,
            () = &mut down, if !answered => answered = true,
            () = over.cancelled(), if !ended => ended = true,
        }
    }
}
