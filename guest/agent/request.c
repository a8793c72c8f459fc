#include "request.h"

#include "channel.h"
#include "connect.h"
#include "context.h"
#include "files.h"
#include "freeze.h"
#include "listing.h"
#include "metrics.h"
#include "process.h"
#include "settings.h"
#include "transfer.h"
#include "users.h"
#include "watch.h"

void request_begin(enum request_kind kind, uint32_t number, const struct fields *fields) {
    users_forget();
    switch (kind) {
    case REQUEST_PROCESS:
        process_request(number, fields);
        break;
    case REQUEST_STAT:
    case REQUEST_MAKE_DIRECTORY:
    case REQUEST_MOVE:
    case REQUEST_REMOVE:
        files_request(kind, number, fields);
        break;
    case REQUEST_LIST:
        list_request(number, fields);
        break;
    case REQUEST_READ:
        read_request(number, fields);
        break;
    case REQUEST_WRITE:
        write_request(number, fields);
        break;
    case REQUEST_WATCH:
        watch_request(number, fields);
        break;
    case REQUEST_CONNECT:
        connect_request(number, fields);
        break;
    case REQUEST_CONTEXT_OPEN:
        context_open_request(number, fields);
        break;
    case REQUEST_EXECUTE:
        execute_request(number, fields);
        break;
    case REQUEST_CONTEXT_CLOSE:
        context_close_request(number, fields);
        break;
    case REQUEST_METRICS:
        metrics_request(number);
        break;
    case REQUEST_CONFIGURE:
        settings_configure(number, fields);
        break;
    case REQUEST_FREEZE:
        freeze_request(number);
        break;
    case REQUEST_THAW:
        thaw_request(number);
        break;
    case REQUEST_SPAWN:
    case REQUEST_KINDS:
        channel_refuse(number, STATUS_UNSUPPORTED, "only a cell's own connection takes SPAWN");
        break;
    }
}
