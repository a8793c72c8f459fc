-- Portable SQL: SQLite today, PostgreSQL later. Times are microseconds since 1970 (bigint). A file of this directory is
-- never changed once it is released; what must change comes as the next number.

create table sandbox (
    id               varchar(32)  not null primary key,
    tenant           varchar(63)  not null,
    tier             varchar(16)  not null,
    tier_reason      text         not null,
    language         varchar(16)  not null,
    state            varchar(16)  not null,
    state_since      bigint,
    stop_reason      varchar(32),
    created_at       bigint       not null,
    expires_at       bigint       not null,
    wall_time_micros bigint       not null,
    cpu_time_micros  bigint       not null,
    memory_bytes     bigint       not null,
    output_bytes     bigint       not null,
    disk_bytes       bigint       not null,
    file_count       integer      not null
);

-- Lists and Reclaim look only at what is alive, however many dead ones there are.
create index sandbox_alive on sandbox (tenant, created_at, id) where state <> 'dead';

create table sandbox_metadata (
    sandbox_id varchar(32)  not null references sandbox (id) on delete cascade,
    name       varchar(128) not null,
    content    text         not null,
    primary key (sandbox_id, name)
);

create index sandbox_metadata_content on sandbox_metadata (name, content);

create table api_key (
    id         varchar(32)  not null primary key,
    sha256     varchar(64)  not null unique,
    tenant     varchar(63)  not null,
    role       varchar(16)  not null,
    label      text         not null,
    created_at bigint       not null
);
