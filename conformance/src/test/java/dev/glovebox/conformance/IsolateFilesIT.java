package dev.glovebox.conformance;

class IsolateFilesIT extends FilesScenarios {
    IsolateFilesIT(Target target) {
        super(Dialect.ISOLATE_JAVASCRIPT, target);
    }
}
