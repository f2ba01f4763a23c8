package internal_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayImport holds, for each package of this module, the other packages of it that it may
// import.
var mayImport = map[string][]string{
	".": {"internal/llm", "internal/llm/catalog", "internal/loop", "internal/loop/chosen", "internal/loop/event", "internal/loop/session", "internal/loop/turn", "internal/tools"},

	"cmd/agent":               {"cmd/agent/access", "cmd/agent/acp", "cmd/agent/agents", "cmd/agent/changes", "cmd/agent/command", "cmd/agent/configuration", "cmd/agent/connect", "cmd/agent/connections", "cmd/agent/credentials", "cmd/agent/delegates", "cmd/agent/desktop", "cmd/agent/dispatch", "cmd/agent/doctor", "cmd/agent/eval", "cmd/agent/exit", "cmd/agent/headless", "cmd/agent/help", "cmd/agent/hooks", "cmd/agent/inspect", "cmd/agent/keys", "cmd/agent/languages", "cmd/agent/licenses", "cmd/agent/limits", "cmd/agent/lines", "cmd/agent/mcp", "cmd/agent/models", "cmd/agent/permit", "cmd/agent/project", "cmd/agent/prompts", "cmd/agent/redact", "cmd/agent/sessions", "cmd/agent/settings", "cmd/agent/stored", "cmd/agent/tool", "cmd/agent/toolbox", "cmd/agent/trust", "cmd/agent/undo", "internal/elicit", "internal/history", "internal/history/blobs", "internal/llm", "internal/llm/anthropic", "internal/llm/catalog", "internal/llm/offline", "internal/llm/openai", "internal/llm/responses", "internal/llm/script", "internal/llm/script/scenes", "internal/llm/text", "internal/llm/wire", "internal/loop", "internal/loop/delegate", "internal/loop/event", "internal/loop/evidence", "internal/loop/hooks", "internal/loop/instructions", "internal/loop/part", "internal/loop/policy", "internal/loop/policy/rule", "internal/loop/policy/standing", "internal/loop/secrets", "internal/loop/session", "internal/loop/situation", "internal/loop/trace", "internal/loop/turn", "internal/scratch", "internal/tools", "internal/tools/caches", "internal/tools/confine", "internal/tools/git", "internal/tools/search", "internal/tools/shell", "internal/tools/shell/sandbox", "internal/tools/shell/supervisor", "internal/tools/snapshot", "internal/tools/workspace", "internal/tui", "internal/tui/ink", "internal/tui/keys", "internal/tui/markdown", "internal/tui/plain", "internal/tui/screen", "internal/tui/slash", "internal/tui/terminal/ptytest"},
	"cmd/agent/access":        {"cmd/agent/command", "cmd/agent/settings", "internal/history", "internal/history/blobs", "internal/loop/policy", "internal/realpath", "internal/tools/caches", "internal/tools/confine", "internal/tools/git", "internal/tools/protect", "internal/tools/shell", "internal/tools/shell/sandbox", "internal/tools/tempdir", "internal/tools/toolchain", "internal/tools/workspace", "internal/tui/ink"},
	"cmd/agent/acp":           {"cmd/agent/command", "cmd/agent/desktop", "cmd/agent/exit", "cmd/agent/headless", "cmd/agent/sessions", "cmd/agent/settings", "internal/jsonrpc", "internal/llm", "internal/llm/offline", "internal/loop/event", "internal/loop/session", "internal/realpath", "internal/tools/workspace", "internal/tui/dialog", "internal/tui/ink", "internal/tui/screen", "internal/tui/slash"},
	"cmd/agent/agents":        {"cmd/agent/command", "cmd/agent/trust", "internal/loop/delegate", "internal/loop/event", "internal/tui/ink"},
	"cmd/agent/changes":       {"internal/history/blobs", "internal/loop", "internal/loop/part", "internal/loop/undo", "internal/realpath", "internal/tools/snapshot", "internal/tools/snapshot/scan", "internal/tools/workspace"},
	"cmd/agent/command":       {"cmd/agent/settings", "internal/history", "internal/llm", "internal/llm/wire", "internal/tui/ink"},
	"cmd/agent/configuration": {"cmd/agent/command", "cmd/agent/settings", "internal/llm/wire", "internal/loop/event", "internal/tui/ink"},
	"cmd/agent/connect":       {"cmd/agent/credentials", "cmd/agent/models", "cmd/agent/settings", "internal/llm", "internal/llm/catalog", "internal/llm/phrase", "internal/llm/wire", "internal/realpath", "internal/tui/screen"},
	"cmd/agent/connections":   {"cmd/agent/desktop", "cmd/agent/mcp", "cmd/agent/settings", "internal/loop/event", "internal/loop/part", "internal/tools", "internal/tools/mcp", "internal/tui/screen"},
	"cmd/agent/credentials":   {"cmd/agent/command", "cmd/agent/settings", "internal/history", "internal/llm", "internal/llm/catalog", "internal/llm/wire"},
	"cmd/agent/delegates":     {"cmd/agent/agents", "cmd/agent/sessions", "cmd/agent/settings", "cmd/agent/stored", "cmd/agent/trust", "internal/history", "internal/llm/catalog", "internal/loop", "internal/loop/delegate", "internal/loop/delegate/isolation", "internal/loop/event", "internal/loop/part", "internal/loop/policy", "internal/loop/turn", "internal/tools", "internal/tools/advice", "internal/tools/workspace"},
	"cmd/agent/desktop":       {"cmd/agent/credentials", "internal/llm", "internal/realpath", "internal/tools/read", "internal/tui/screen"},
	"cmd/agent/dispatch":      {"internal/history/blobs", "internal/tools/shell/supervisor", "internal/tools/shell/sandbox", "internal/tools/snapshot", "internal/tui/terminal/rescue"},
	"cmd/agent/doctor":        {"cmd/agent/command", "cmd/agent/credentials", "cmd/agent/desktop", "cmd/agent/models", "cmd/agent/settings", "internal/history", "internal/loop/event", "internal/realpath", "internal/scratch", "internal/tools/caches", "internal/tools/git", "internal/tools/shell", "internal/tools/shell/sandbox", "internal/tui/ink"},
	"cmd/agent/dotenv":        {"internal/loop/policy"},
	"cmd/agent/eval":          {"cmd/agent/command", "internal/llm", "internal/tools/shell", "internal/tui/ink"},
	"cmd/agent/exit":          {"cmd/agent/command", "internal/history"},
	"cmd/agent/headless":      {"cmd/agent/command", "cmd/agent/exit", "cmd/agent/sessions", "internal/llm", "internal/llm/wire", "internal/loop/event", "internal/loop/turn", "internal/tools/manifest", "internal/tui/diff", "internal/tui/ink"},
	"cmd/agent/help":          {},
	"cmd/agent/hooks":         {"cmd/agent/command", "cmd/agent/settings", "cmd/agent/trust", "internal/loop/hooks", "internal/loop/instructions", "internal/realpath", "internal/tools/confine", "internal/tools/shell", "internal/tools/snapshot", "internal/tui/ink"},
	"cmd/agent/inspect":       {"cmd/agent/command", "cmd/agent/models", "cmd/agent/sessions", "cmd/agent/settings", "internal/history", "internal/llm", "internal/llm/catalog", "internal/loop/event", "internal/loop/inspect", "internal/loop/session", "internal/loop/turn", "internal/tui/ink"},
	"cmd/agent/keys":          {"cmd/agent/command", "cmd/agent/settings", "internal/tui/keys"},
	"cmd/agent/languages":     {"cmd/agent/command", "cmd/agent/settings", "cmd/agent/trust", "internal/loop/event", "internal/loop/part", "internal/realpath", "internal/tools", "internal/tools/confine", "internal/tools/format", "internal/tools/lsp", "internal/tools/process", "internal/tools/shell/supervisor", "internal/tools/workspace", "internal/tui/screen"},
	"cmd/agent/licenses":      {},
	"cmd/agent/limits":        {"cmd/agent/command", "cmd/agent/settings", "internal/loop/event"},
	"cmd/agent/lines":         {"internal/tui/terminal/ptytest"},
	"cmd/agent/mcp":           {"cmd/agent/command", "cmd/agent/exit", "cmd/agent/settings", "cmd/agent/trust", "internal/history/filelock", "internal/link", "internal/llm/wire", "internal/loop/instructions", "internal/loop/policy/rule", "internal/realpath", "internal/tools", "internal/tools/mcp", "internal/tui/ink"},
	"cmd/agent/models":        {"cmd/agent/command", "cmd/agent/credentials", "cmd/agent/settings", "internal/history", "internal/llm/catalog", "internal/llm/offline", "internal/llm/recording", "internal/llm/wire", "internal/loop/chosen", "internal/loop/event", "internal/loop/turn", "internal/tui/ink"},
	"cmd/agent/permit":        {"cmd/agent/command", "cmd/agent/settings", "internal/history", "internal/loop/event", "internal/loop/policy", "internal/loop/policy/rule", "internal/tui/ink"},
	"cmd/agent/project":       {"cmd/agent/access", "cmd/agent/command", "cmd/agent/settings", "cmd/agent/toolbox", "internal/loop/delegate", "internal/loop/diffs", "internal/loop/event", "internal/loop/instructions", "internal/loop/part", "internal/tools", "internal/tools/search", "internal/tui/ink", "internal/tui/screen", "internal/tui/slash"},
	"cmd/agent/prompts":       {"cmd/agent/command", "cmd/agent/settings"},
	"cmd/agent/redact":        {"cmd/agent/access", "cmd/agent/credentials", "cmd/agent/dotenv", "cmd/agent/mcp", "cmd/agent/settings", "internal/llm/mask", "internal/loop/policy/standing", "internal/loop/secrets", "internal/tools/shell"},
	"cmd/agent/sessions":      {"cmd/agent/command", "internal/history", "internal/llm", "internal/loop/event", "internal/loop/export", "internal/loop/export/importer", "internal/loop/session", "internal/scratch", "internal/tools/caches", "internal/tools/tempdir", "internal/tui/diff", "internal/tui/ink", "internal/tui/list"},
	"cmd/agent/settings":      {"internal/history", "internal/llm/catalog", "internal/loop/event", "internal/loop/policy/rule", "internal/loop/policy/standing"},
	"cmd/agent/stored":        {"cmd/agent/command", "cmd/agent/sessions", "internal/history", "internal/llm/offline", "internal/loop/event", "internal/loop/session", "internal/tools/git", "internal/tui/screen"},
	"cmd/agent/tool":          {"cmd/agent/command", "cmd/agent/exit", "internal/elicit", "internal/llm", "internal/loop/event", "internal/loop/policy", "internal/loop/policy/rule", "internal/textdiff", "internal/tools", "internal/tools/advice", "internal/tui/ink"},
	"cmd/agent/toolbox":       {"cmd/agent/command", "cmd/agent/help", "cmd/agent/settings", "internal/loop", "internal/tools", "internal/tools/check", "internal/tools/fetch", "internal/tools/workspace"},
	"cmd/agent/trust":         {"cmd/agent/command", "cmd/agent/settings", "internal/realpath", "internal/tools/manifest", "internal/tui/ink", "internal/tui/screen"},
	"cmd/agent/undo":          {"cmd/agent/command", "cmd/agent/exit", "cmd/agent/sessions", "cmd/agent/stored", "internal/history", "internal/history/blobs", "internal/loop/event", "internal/loop/session", "internal/loop/undo", "internal/realpath", "internal/tools/snapshot", "internal/tui/diff", "internal/tui/ink"},

	"internal/bash":             {},
	"internal/elicit":           {"internal/link"},
	"internal/history":          {"internal/history/blobs", "internal/history/filelock", "internal/realpath"},
	"internal/history/blobs":    {"internal/history/filelock"},
	"internal/history/filelock": {},
	"internal/jsonrpc":          {},
	"internal/link":             {},

	"internal/llm":               {},
	"internal/llm/anthropic":     {"internal/llm", "internal/llm/strict", "internal/llm/wire", "internal/llm/wire/wiretest"},
	"internal/llm/catalog":       {"internal/llm", "internal/llm/anthropic", "internal/llm/openai", "internal/llm/responses", "internal/llm/text", "internal/llm/wire"},
	"internal/llm/marker":        {},
	"internal/llm/mask":          {},
	"internal/llm/offline":       {"internal/llm"},
	"internal/llm/openai":        {"internal/llm", "internal/llm/strict", "internal/llm/wire", "internal/llm/wire/wiretest"},
	"internal/llm/phrase":        {},
	"internal/llm/recording":     {"internal/llm", "internal/llm/wire"},
	"internal/llm/responses":     {"internal/llm", "internal/llm/strict", "internal/llm/wire", "internal/llm/wire/wiretest"},
	"internal/llm/script":        {"internal/llm"},
	"internal/llm/script/scenes": {"internal/llm", "internal/llm/script"},
	"internal/llm/strict":        {"internal/llm", "internal/llm/wire"},
	"internal/llm/text":          {"internal/llm", "internal/llm/script", "internal/llm/wire"},
	"internal/llm/wire":          {"internal/llm"},
	"internal/llm/wire/wiretest": {"internal/llm"},

	"internal/loop":                    {"internal/history", "internal/history/blobs", "internal/llm", "internal/llm/anthropic", "internal/llm/catalog", "internal/llm/mask", "internal/llm/openai", "internal/llm/responses", "internal/llm/script", "internal/llm/text", "internal/llm/wire", "internal/loop/budget", "internal/loop/delegate", "internal/loop/event", "internal/loop/part", "internal/loop/plan", "internal/loop/policy", "internal/loop/policy/rule", "internal/loop/policy/standing", "internal/loop/session", "internal/loop/turn", "internal/loop/undo", "internal/loop/window", "internal/tools", "internal/tools/check", "internal/tools/fetch", "internal/tools/git", "internal/tools/intake", "internal/tools/shell", "internal/tools/shell/supervisor", "internal/tools/snapshot", "internal/tools/snapshot/scan", "internal/tools/workspace"},
	"internal/loop/budget":             {"internal/llm", "internal/loop/event"},
	"internal/loop/chosen":             {"internal/llm/catalog", "internal/llm/offline", "internal/llm/text", "internal/loop/turn"},
	"internal/loop/delegate":           {"internal/llm", "internal/loop/budget", "internal/loop/diffs", "internal/loop/event", "internal/loop/instructions", "internal/loop/policy", "internal/loop/policy/standing", "internal/loop/session", "internal/loop/turn", "internal/tools", "internal/tools/advice", "internal/tools/intake"},
	"internal/loop/delegate/isolation": {"internal/loop/delegate", "internal/loop/event", "internal/loop/policy", "internal/tools", "internal/tools/git", "internal/tools/workspace"},
	"internal/loop/diffs":              {"internal/loop/event", "internal/loop/hunk", "internal/tools", "internal/tools/charset"},
	"internal/loop/event":              {"internal/elicit", "internal/llm"},
	"internal/loop/evidence":           {"internal/bash", "internal/loop/event", "internal/loop/part", "internal/tools", "internal/tools/shell/checks", "internal/tools/shell/pipeline"},
	"internal/loop/export":             {"internal/history", "internal/link", "internal/llm", "internal/llm/anthropic", "internal/llm/openai", "internal/llm/wire", "internal/loop/event", "internal/loop/session", "internal/loop/session/calls"},
	"internal/loop/export/importer":    {"internal/history", "internal/llm", "internal/loop/event", "internal/loop/export"},
	"internal/loop/hooks":              {"internal/loop/event", "internal/loop/part", "internal/realpath", "internal/tools", "internal/tools/confine", "internal/tools/process", "internal/tools/shell", "internal/tools/snapshot"},
	"internal/loop/hunk":               {"internal/loop/event", "internal/textdiff", "internal/tools/charset"},
	"internal/loop/inspect":            {"internal/llm", "internal/loop/window"},
	"internal/loop/instructions":       {"internal/loop/event", "internal/realpath", "internal/tools", "internal/tools/advice", "internal/tools/intake", "internal/tools/workspace"},
	"internal/loop/part":               {"internal/loop/event", "internal/tools", "internal/tools/workspace"},
	"internal/loop/plan":               {"internal/loop/event"},
	"internal/loop/policy":             {"internal/bash", "internal/llm/phrase", "internal/loop/event", "internal/loop/policy/command", "internal/loop/policy/rule", "internal/loop/policy/standing", "internal/realpath", "internal/tools", "internal/tools/git", "internal/tools/gitconfig", "internal/tools/manifest", "internal/tools/protect", "internal/tools/snapshot", "internal/tools/tempdir"},
	"internal/loop/policy/rule":        {"internal/bash", "internal/loop/policy/command", "internal/tools", "internal/tools/manifest", "internal/tools/protect"},
	"internal/loop/policy/command":     {"internal/bash", "internal/tools/gitconfig"},
	"internal/loop/policy/standing":    {"internal/history", "internal/loop/event", "internal/loop/policy/command", "internal/realpath", "internal/tools", "internal/tools/manifest"},
	"internal/loop/secrets":            {"internal/llm", "internal/llm/mask", "internal/loop/event", "internal/loop/part", "internal/tools"},
	"internal/loop/session":            {"internal/history", "internal/llm", "internal/loop/event", "internal/loop/plan", "internal/loop/session/calls", "internal/loop/window"},
	"internal/loop/session/calls":      {"internal/llm", "internal/loop/event"},
	"internal/loop/situation":          {"internal/tools/git"},
	"internal/loop/trace":              {"internal/llm", "internal/loop/event", "internal/loop/part"},
	"internal/loop/turn":               {"internal/elicit", "internal/llm", "internal/llm/script", "internal/llm/text", "internal/loop/budget", "internal/loop/diffs", "internal/loop/event", "internal/loop/plan", "internal/loop/policy", "internal/loop/policy/standing", "internal/loop/turn/quote", "internal/loop/window", "internal/tools", "internal/tools/advice", "internal/tools/schema", "internal/tools/workspace"},
	"internal/loop/turn/quote":         {},
	"internal/loop/undo":               {"internal/history/blobs", "internal/loop/diffs", "internal/loop/event", "internal/loop/hunk", "internal/realpath", "internal/tools", "internal/tools/confine", "internal/tools/git", "internal/tools/search", "internal/tools/shell", "internal/tools/shell/supervisor", "internal/tools/shell/sandbox", "internal/tools/snapshot", "internal/tools/snapshot/scan", "internal/tools/workspace"},
	"internal/loop/window":             {"internal/llm", "internal/llm/marker", "internal/loop/event", "internal/loop/plan"},

	"internal/realpath": {},
	"internal/sampling": {},
	"internal/scratch":  {},
	"internal/textdiff": {},

	"internal/tools":                       {"internal/elicit", "internal/llm", "internal/llm/marker", "internal/llm/strict", "internal/tools/advice", "internal/tools/charset", "internal/tools/confine", "internal/tools/edit", "internal/tools/git", "internal/tools/intake", "internal/tools/page", "internal/tools/process", "internal/tools/read", "internal/tools/schema", "internal/tools/search", "internal/tools/shell", "internal/tools/shell/checks", "internal/tools/shell/pipeline", "internal/tools/snapshot", "internal/tools/tempdir", "internal/tools/workspace"},
	"internal/tools/advice":                {},
	"internal/tools/caches":                {"internal/history/filelock", "internal/realpath", "internal/tools/shell/sandbox"},
	"internal/tools/charset":               {},
	"internal/tools/check":                 {"internal/tools", "internal/tools/confine", "internal/tools/intake", "internal/tools/shell", "internal/tools/shell/supervisor", "internal/tools/shell/sandbox", "internal/tools/snapshot/snapshottest", "internal/tools/workspace"},
	"internal/tools/confine":               {"internal/realpath", "internal/tools/caches", "internal/tools/git", "internal/tools/gitconfig", "internal/tools/protect", "internal/tools/shell/sandbox", "internal/tools/snapshot", "internal/tools/tempdir"},
	"internal/tools/edit":                  {"internal/tools/advice"},
	"internal/tools/fetch":                 {"internal/llm", "internal/llm/marker", "internal/tools", "internal/tools/advice", "internal/tools/charset", "internal/tools/intake", "internal/tools/read"},
	"internal/tools/format":                {"internal/tools", "internal/tools/confine", "internal/tools/process", "internal/tools/shell/supervisor", "internal/tools/workspace"},
	"internal/tools/git":                   {"internal/realpath", "internal/scratch", "internal/tools/advice"},
	"internal/tools/gitconfig":             {"internal/realpath", "internal/tools/manifest"},
	"internal/tools/intake":                {"internal/tools/advice"},
	"internal/tools/lsp":                   {"internal/llm/marker", "internal/realpath", "internal/tools", "internal/tools/advice", "internal/tools/charset", "internal/tools/intake", "internal/tools/lsp/client", "internal/tools/lsp/protocol", "internal/tools/process", "internal/tools/shell/supervisor", "internal/tools/workspace"},
	"internal/tools/lsp/client":            {"internal/jsonrpc", "internal/tools/lsp/protocol"},
	"internal/tools/lsp/protocol":          {},
	"internal/tools/manifest":              {},
	"internal/tools/mcp":                   {"internal/elicit", "internal/jsonrpc", "internal/llm", "internal/llm/marker", "internal/tools", "internal/tools/advice", "internal/tools/intake", "internal/tools/process", "internal/tools/read", "internal/tools/schema", "internal/tools/shell/supervisor"},
	"internal/tools/page":                  {"internal/llm/marker", "internal/tools/advice", "internal/tools/charset", "internal/tools/read"},
	"internal/tools/process":               {"internal/tools/shell/supervisor", "internal/tools/shell/sandbox", "internal/tools/snapshot"},
	"internal/tools/protect":               {"internal/realpath"},
	"internal/tools/read":                  {"internal/llm", "internal/llm/marker", "internal/tools/charset"},
	"internal/tools/schema":                {},
	"internal/tools/search":                {"internal/llm/marker", "internal/tools/advice", "internal/tools/charset", "internal/tools/gitconfig", "internal/tools/search/dfa", "internal/tools/search/wildmatch"},
	"internal/tools/search/dfa":            {},
	"internal/tools/search/wildmatch":      {},
	"internal/tools/shell":                 {"internal/llm/marker", "internal/realpath", "internal/scratch", "internal/tools/shell/checks", "internal/tools/shell/supervisor", "internal/tools/shell/sandbox", "internal/tools/snapshot", "internal/tools/snapshot/snapshottest"},
	"internal/tools/shell/supervisor":      {"internal/tools/shell/sandbox", "internal/tools/shell/watch", "internal/tools/snapshot"},
	"internal/tools/shell/checks":          {"internal/bash"},
	"internal/tools/shell/pipeline":        {"internal/bash", "internal/tools/shell/checks"},
	"internal/tools/shell/sandbox":         {},
	"internal/tools/shell/watch":           {"internal/llm/phrase", "internal/realpath", "internal/tools/gitconfig", "internal/tools/protect", "internal/tools/shell/sandbox", "internal/tools/snapshot"},
	"internal/tools/snapshot":              {"internal/tools/protect"},
	"internal/tools/snapshot/scan":         {"internal/realpath", "internal/tools/git", "internal/tools/search", "internal/tools/snapshot"},
	"internal/tools/snapshot/snapshottest": {"internal/tools/snapshot"},
	"internal/tools/tempdir":               {"internal/realpath", "internal/tools/shell/sandbox"},
	"internal/tools/toolchain":             {},
	"internal/tools/workspace":             {"internal/realpath", "internal/textdiff", "internal/tools/advice", "internal/tools/charset", "internal/tools/tempdir"},

	"internal/tui":                   {"internal/elicit", "internal/llm", "internal/loop/event", "internal/tui/agents", "internal/tui/dialog", "internal/tui/editor", "internal/tui/ink", "internal/tui/keys", "internal/tui/layer", "internal/tui/list", "internal/tui/manual", "internal/tui/pager", "internal/tui/prompt", "internal/tui/screen", "internal/tui/slash", "internal/tui/terminal", "internal/tui/transcript"},
	"internal/tui/agents":            {"internal/loop/event", "internal/tui/editor", "internal/tui/ink", "internal/tui/keys", "internal/tui/layer", "internal/tui/list", "internal/tui/screen", "internal/tui/transcript"},
	"internal/tui/dialog":            {"internal/elicit", "internal/loop/event", "internal/loop/plan", "internal/tui/diff", "internal/tui/editor", "internal/tui/ink", "internal/tui/keys", "internal/tui/markdown", "internal/tui/review"},
	"internal/tui/diff":              {"internal/loop/event", "internal/tui/ink", "internal/tui/ink/inktest"},
	"internal/tui/editor":            {"internal/llm", "internal/loop/event", "internal/tui/editor/text", "internal/tui/editor/text/emacs", "internal/tui/editor/text/vi", "internal/tui/ink", "internal/tui/keys"},
	"internal/tui/editor/text":       {},
	"internal/tui/editor/text/emacs": {"internal/tui/editor/text"},
	"internal/tui/editor/text/vi":    {"internal/tui/editor/text", "internal/tui/editor/text/emacs"},
	"internal/tui/ink":               {},
	"internal/tui/ink/inktest":       {"internal/tui/ink"},
	"internal/tui/keys":              {},
	"internal/tui/layer":             {},
	"internal/tui/list":              {"internal/loop/event", "internal/tui/ink", "internal/tui/keys"},
	"internal/tui/manual":            {"internal/tui/ink", "internal/tui/keys", "internal/tui/layer", "internal/tui/list", "internal/tui/markdown", "internal/tui/screen"},
	"internal/tui/markdown":          {"internal/link", "internal/tui/ink", "internal/tui/ink/inktest"},
	"internal/tui/pager":             {"internal/loop/event", "internal/tui/ink", "internal/tui/keys", "internal/tui/layer", "internal/tui/list", "internal/tui/screen", "internal/tui/transcript"},
	"internal/tui/plain":             {"internal/elicit", "internal/link", "internal/llm", "internal/loop/event", "internal/tui/dialog", "internal/tui/diff", "internal/tui/editor", "internal/tui/ink", "internal/tui/list", "internal/tui/prompt", "internal/tui/review", "internal/tui/screen", "internal/tui/slash", "internal/tui/terminal", "internal/tui/transcript"},
	"internal/tui/prompt":            {"internal/llm", "internal/loop/event", "internal/scratch", "internal/tui/dialog", "internal/tui/editor", "internal/tui/ink", "internal/tui/keys", "internal/tui/layer", "internal/tui/list", "internal/tui/screen", "internal/tui/slash", "internal/tui/terminal", "internal/tui/transcript"},
	"internal/tui/review":            {"internal/loop/event", "internal/loop/hunk", "internal/tui/diff", "internal/tui/editor", "internal/tui/ink", "internal/tui/keys"},
	"internal/tui/screen":            {"internal/llm", "internal/loop/event", "internal/tui/ink", "internal/tui/keys", "internal/tui/list", "internal/tui/transcript"},
	"internal/tui/slash":             {"internal/llm", "internal/loop/event", "internal/loop/hunk", "internal/tui/dialog", "internal/tui/diff", "internal/tui/editor", "internal/tui/ink", "internal/tui/keys", "internal/tui/list", "internal/tui/markdown", "internal/tui/screen", "internal/tui/terminal", "internal/tui/transcript"},
	"internal/tui/terminal":          {"internal/tui/terminal/rescue"},
	"internal/tui/terminal/ptytest":  {},
	"internal/tui/terminal/rescue":   {},
	"internal/tui/transcript":        {"internal/llm", "internal/loop/event", "internal/tui/diff", "internal/tui/ink", "internal/tui/markdown"},
}

// leaf may be imported by every package.
const leaf = "internal/llm/phrase"

// testsOnly may be imported by the tests of every package, and by nothing else.
const testsOnly = "internal/sampling"

// forbidden are the packages of other modules that a package and those below it must not
// import.
var forbidden = map[string][]string{
	"internal/llm":     {"charm.land/"},
	"internal/history": {"charm.land/"},
	"internal/tools":   {"charm.land/"},
	"internal/loop":    {"charm.land/"},
}

// vague are names of packages that collect code of no particular concern.
var vague = []string{"util", "utils", "common", "helpers", "helper", "types", "misc", "base", "config", "manager", "service", "pubsub"}

func TestImportsRunOneWay(t *testing.T) {
	seen, used := map[string]bool{}, map[[2]string]bool{}
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 2 && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(file, ".go") {
			return nil
		}
		name := strings.TrimPrefix(filepath.ToSlash(file), "../")
		from := path.Dir(name)
		if from == "internal" {
			return nil // tests of all packages
		}
		if _, ok := mayImport[from]; !ok && !seen[from] {
			t.Errorf("the table has no row for the package %s", from)
		}
		seen[from] = true
		if base := path.Base(path.Dir(name)); slices.Contains(vague, base) {
			t.Errorf("%s: the package name %s is too vague", name, base)
		}
		checkImports(t, file, name, from, used)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for r := range mayImport {
		if !seen[r] {
			t.Errorf("the table has a package %s that does not exist", r)
		}
		for _, to := range mayImport[r] {
			if !used[[2]string{r, to}] {
				t.Errorf("the table lets %s import %s, which it does not", r, to)
			}
		}
	}
}

func checkImports(t *testing.T, file, name, from string, used map[[2]string]bool) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	for _, im := range f.Imports {
		p := strings.Trim(im.Path.Value, `"`)
		for area, all := range forbidden {
			for _, bad := range all {
				if (from == area || strings.HasPrefix(from, area+"/")) && strings.HasPrefix(p, bad) {
					t.Errorf("%s imports %s, which %s must not", name, p, area)
				}
			}
		}
		to, ours := strings.CutPrefix(p, "agent/")
		if !ours {
			continue
		}
		if strings.HasSuffix(name, "_test.go") && strings.HasPrefix(to, from+"/") {
			continue // tests of several parts are with the package above them
		}
		if to == testsOnly {
			if !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s imports %s, which only tests may import", name, to)
			}
			continue
		}
		used[[2]string{from, to}] = true
		if to != from && to != leaf && !slices.Contains(mayImport[from], to) {
			t.Errorf("%s imports %s: %s may import only %v", name, to, from, mayImport[from])
		}
	}
}
