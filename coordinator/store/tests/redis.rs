//! The Redis store keeps the contract on a real server, whatever happens to that server.

mod redis {
    mod fault;
    mod files;
    mod fit;
    mod idle;
    mod lease;
    mod load;
    mod media;
    mod parts;
    mod play;
    mod secure;
}
