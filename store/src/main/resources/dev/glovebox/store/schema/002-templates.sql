-- What a sandbox was started from; empty where its tier has but one.
alter table sandbox add column template varchar(64) not null default '';
