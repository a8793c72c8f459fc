package dev.glovebox.egress;

/// A header line; the value is without the blanks around it.
record HttpField(String name, String value) {
    boolean is(String other) {
        return name.equalsIgnoreCase(other);
    }
}
