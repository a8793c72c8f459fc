-- A secret's value is sealed outside of the database; key_id names the key, so that a wrong one is told from a damaged
-- row. Hosts are patterns, separated by spaces.
create table secret (
    tenant     varchar(63) not null,
    name       varchar(64) not null,
    hosts      text        not null,
    key_id     varchar(32) not null,
    sealed     text        not null,
    updated_at bigint      not null,
    primary key (tenant, name)
);

create table tunnel (
    tenant           varchar(63)  not null,
    name             varchar(63)  not null,
    host             varchar(255) not null,
    port             integer      not null,
    tls              boolean      not null,
    connections_max  integer      not null,
    bytes_max        bigint       not null,
    idle_millis      bigint       not null,
    primary key (tenant, name)
);
