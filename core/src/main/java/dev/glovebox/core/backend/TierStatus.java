package dev.glovebox.core.backend;

import dev.glovebox.core.Tier;

/// Whether a tier works on this machine, as `glovebox doctor` tells it.
///
/// @param why what was found, in a sentence
/// @param remedy what to do about it; empty if it works
public record TierStatus(Tier tier, boolean available, String why, String remedy) {}
