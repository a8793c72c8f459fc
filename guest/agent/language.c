#include "language.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Code that comes on the command line must be shorter than what the kernel takes as one argument.
enum { ARGUMENT_BYTES_MAX = 96 * 1024 };

// Where an interpreter's wrapper says how the program failed: in the file that its code was in, after this mark. It is
// the guest's word like everything that it writes.
#define ERROR_MARK "glovebox-error:"
enum { ERROR_RECORD_BYTES_MAX = 1 << 20 };

// Runs descriptor 3 as __main__ under the name that the host gave it, as if it stood in the working directory: modules
// beside it can be imported, tracebacks show its lines, and nothing of this text. Whoever reads lines gets them when he
// asks for the module that does: to import it for everybody takes 8 ms in gVisor.
static const char python[] =
    "import sys\n"
    "def hook(kind, error, trace):\n"
    "    import os, struct, sys, traceback\n"
    "    while trace is not None and trace.tb_frame.f_code.co_filename == '<string>':\n"
    "        trace = trace.tb_next\n"
    "    text = ''.join(traceback.format_exception(kind, error, trace))\n"
    "    sys.stderr.write(text)\n"
    "    def field(tag, value):\n"
    "        value = value.encode('utf-8', 'replace')[-250000:]\n"
    "        return struct.pack('>HI', tag, len(value)) + value\n"
    "    try:\n"
    "        value = str(error)\n"
    "    except Exception:\n"
    "        value = ''\n"
    "    try:\n"
    "        os.ftruncate(3, 0)\n"
    "        os.pwrite(3, b'" ERROR_MARK "' + field(84, kind.__name__) + field(85, value) + field(86, text), 0)\n"
    "    except OSError:\n"
    "        pass\n"
    "sys.excepthook = hook\n"
    "with open(3, 'rb', closefd=False) as file:\n"
    "    code = file.read()\n"
    "name = sys.argv[1]\n"
    "sys.argv[:2] = []\n"
    "text = code.decode('utf-8', 'replace')\n"
    "class Lines:\n"
    "    @classmethod\n"
    "    def find_spec(cls, module, path=None, target=None, text=text, name=name):\n"
    "        if module != 'linecache':\n"
    "            return None\n"
    "        import sys\n"
    "        sys.meta_path.remove(cls)\n"
    "        spec = next(filter(None, (finder.find_spec(module, path, target) for finder in sys.meta_path)))\n"
    "        load = spec.loader.exec_module\n"
    "        def fill(made):\n"
    "            load(made)\n"
    "            made.cache[name] = (len(text), None, text.splitlines(True), name)\n"
    "        spec.loader.exec_module = fill\n"
    "        return spec\n"
    "sys.meta_path.insert(0, Lines)\n"
    "code = compile(code, name, 'exec')\n"
    "__file__ = name\n"
    "del sys, hook, file, text, name, Lines\n"
    "exec(globals().pop('code'))\n";

// The same for Node.js. What is a module by its syntax (import, top-level await) is run as one.
static const char javascript[] =
    "const fs = require('fs'), path = require('path'), vm = require('vm'), Module = require('module');\n"
    "let code = fs.readFileSync(3, 'utf8');\n"
    "process.on('uncaughtExceptionMonitor', (error) => {\n"
    "  const field = (tag, text) => {\n"
    "    const value = Buffer.from(String(text)).subarray(-250000), head = Buffer.alloc(6);\n"
    "    head.writeUInt16BE(tag, 0); head.writeUInt32BE(value.length, 2);\n"
    "    return Buffer.concat([head, value]);\n"
    "  };\n"
    "  try {\n"
    "    const record = Buffer.concat([Buffer.from('" ERROR_MARK "'), field(84, error?.name ?? typeof error),\n"
    "      field(85, error?.message ?? error), field(86, error?.stack ?? error)]);\n"
    "    fs.ftruncateSync(3); fs.writeSync(3, record, 0, record.length, 0);\n"
    "  } catch {}\n"
    "});\n"
    "const file = path.resolve(process.argv[1]);\n"
    "process.argv.splice(1, 2, path.resolve(process.argv[2]));\n"
    "if (/\\.[mc]?ts$/.test(file)) {\n"
    "  const warn = process.emitWarning;\n"
    "  process.emitWarning = () => {};\n"
    "  if (!Module.stripTypeScriptTypes) throw new Error('typescript needs Node.js 22.13 or newer in the template');\n"
    "  const plain = (mode) => Module.stripTypeScriptTypes(code, {mode, sourceUrl: file});\n"
    "  try { code = plain('strip'); }\n"
    "  catch (error) {\n"
    "    if (error.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error;\n"
    "    code = plain('transform');\n" // Enums and namespaces: more than to leave types out.
    "  }\n"
    "  process.emitWarning = warn;\n"
    "}\n"
    "let isModule = /\\.m[jt]s$/.test(file);\n"
    "if (!isModule && !/\\.c[jt]s$/.test(file)) {\n"
    "  const fault = (text) => {\n"
    "    try { new vm.Script(text, {filename: file}); return ''; } catch (error) { return error.message; }\n"
    "  };\n"
    "  const script = fault(Module.wrap(code));\n"
    // Of f(await x) V8 says only that a parenthesis is missing.
    "  const inAsync = script && fault('(async () => {' + code + '\\n})');\n"
    "  isModule = /import|export|await/.test(script) || (script !== '' && /^$|import|export/.test(inAsync));\n"
    "}\n"
    "if (isModule) {\n"
    "  const directory = fs.mkdtempSync(path.join(require('os').tmpdir(), 'module-'));\n"
    "  const copy = path.join(directory, path.basename(file, path.extname(file)) + '.mjs');\n"
    "  fs.writeFileSync(copy, code);\n"
    "  process.on('exit', () => fs.rmSync(directory, {recursive: true, force: true}));\n"
    "  import(require('url').pathToFileURL(copy));\n"
    "} else {\n"
    "  const module = new Module(file, null);\n"
    "  module.filename = file;\n"
    "  module.paths = Module._nodeModulePaths(path.dirname(file));\n"
    "  process.mainModule = module;\n"
    "  module._compile(code, file);\n"
    "  module.loaded = true;\n"
    "}\n";

bool language_error(int code, struct bytes *record) {
    static const char mark[] = ERROR_MARK;
    enum { MARK_BYTES = sizeof mark - 1 };
    off_t size = lseek(code, 0, SEEK_END);
    if (size <= MARK_BYTES || size > ERROR_RECORD_BYTES_MAX || !bytes_reserve(record, (size_t)size)) {
        return false;
    }
    ssize_t count = pread(code, record->data, (size_t)size, 0);
    if (count <= MARK_BYTES || memcmp(record->data, mark, MARK_BYTES) != 0) {
        return false;
    }
    record->length = (size_t)count;
    bytes_drop(record, MARK_BYTES);
    return fields_check(record->data, record->length);
}

enum language language_of(const char *word) {
    static const char *const words[] = {"python", "javascript", "typescript", "bash"};
    for (int i = 0; i < LANGUAGE_UNKNOWN; i++) {
        if (strcmp(word, words[i]) == 0) {
            return (enum language)i;
        }
    }
    return LANGUAGE_UNKNOWN;
}

const char *language_file_name(enum language language) {
    static const char *const names[] = {"main.py", "main.js", "main.ts", "main.sh", "main"};
    return names[language];
}

static bool keep_code(struct command *command, const struct bytes *code) {
    command->code = memfd_create("code", MFD_CLOEXEC);
    size_t done = 0;
    while (command->code >= 0 && done < code->length) {
        ssize_t count = write(command->code, code->data + done, code->length - done);
        if (count <= 0) {
            return false;
        }
        done += (size_t)count;
    }
    // Whoever runs it may open it by its name in /proc.
    return command->code >= 0 && lseek(command->code, 0, SEEK_SET) == 0 && fchmod(command->code, 0555) == 0;
}

static void add(struct command *command, const char *text) {
    command->prefix[command->prefix_count++] = text;
}

const char *language_command(enum language language, struct bytes *code, const char *file_name,
                             struct command *command, enum status *status) {
    bool on_command_line = language == LANGUAGE_BASH && code->length < ARGUMENT_BYTES_MAX
        && (code->length == 0 || memchr(code->data, 0, code->length) == NULL);
    *command = (struct command){.code = -1};
    *status = STATUS_UNSUPPORTED;
    switch (language) {
    case LANGUAGE_PYTHON:
        add(command, "python3");
        add(command, "-c");
        add(command, python);
        add(command, file_name);
        break;
    case LANGUAGE_JAVASCRIPT:
    case LANGUAGE_TYPESCRIPT:
        add(command, "node");
        add(command, "-e");
        add(command, javascript);
        add(command, "--");
        add(command, file_name);
        break;
    case LANGUAGE_BASH:
        add(command, "bash");
        add(command, on_command_line ? "-c" : "/proc/self/fd/3");
        break;
    case LANGUAGE_UNKNOWN:
        *status = STATUS_INVALID;
        return "a language is python, javascript or bash here";
    }
    *status = STATUS_FAILED;
    if (on_command_line) {
        bytes_add(&command->text, code->data, code->length);
        bytes_add_u8(&command->text, 0);
        if (command->text.failed) {
            return "there is no memory for the code";
        }
        add(command, (const char *)command->text.data);
    } else if (!keep_code(command, code)) {
        return "there is no room for the code";
    }
    return NULL;
}

void command_free(struct command *command) {
    if (command->code >= 0) {
        close(command->code);
        command->code = -1;
    }
    bytes_free(&command->text);
}
