// Package settings reads and changes the user's configuration file. It never reads
// anything from the working directory, because a repository must not be able to
// choose an endpoint, a model or a permission mode. No setting holds an API key, only
// the source of one. Start reading at Settings.
package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"

	"agent/internal/loop/policy/rule"
)

// Settings is the content of the configuration file. Empty fields are not set. The
// tag "what" describes a setting in the documentation and the schema; "enum",
// "format", "min", "max" and "names" limit its values, and "also" has accepted values beside those of "enum". A field without omitempty is
// required.
type Settings struct {
	Schema  string   `json:"$schema,omitempty" what:"schema of this file, for editors; agent config schema prints it"`
	Model   string   `json:"model,omitempty" what:"the model, as PROVIDER/NAME"`
	Models  []string `json:"models,omitempty" what:"fallback models, in order, used temporarily when a provider is overloaded or a quota is exhausted"`
	Small   string   `json:"small_model,omitempty" what:"a small, fast model that writes the titles of sessions and summaries, and works for the agent explore, as PROVIDER/NAME (default: the title is the first prompt, and the model of the session does the rest)"`
	Summary string   `json:"summary_model,omitempty" what:"the model that summarizes a conversation when it fills the context window, as PROVIDER/NAME (default: small_model, else the model of the session)"`
	BaseURL string   `json:"base_url,omitempty" format:"uri" what:"base URL of an OpenAI-compatible server"`
	Mode    string   `json:"mode,omitempty" enum:"ask,auto,plan,all" also:"edits,auto-edit,approve-all" what:"permission mode: ask (default), auto (edits and sandboxed commands run without asking), plan (read-only), all (most calls run without asking)"`
	Limits
	Effort    string                    `json:"effort,omitempty" what:"reasoning effort, if the model supports it: low, medium, high or another level of the model"`
	Local     *bool                     `json:"local,omitempty" what:"detect model servers on this machine if no other model is connected (default true)"`
	Providers map[string]Provider       `json:"providers,omitempty" names:"^[a-z0-9][a-z0-9._-]*$" what:"overrides of built-in providers, and additional ones, by name"`
	AllowHTTP []string                  `json:"allow_http,omitempty" format:"host" what:"hosts, with or without a port, that may receive an API key over plain HTTP (default: none; this machine is always allowed)"`
	Catalog   map[string]Model          `json:"catalog,omitempty" what:"overrides of built-in model data, by prefix of NAME or PROVIDER/NAME"`
	AddDirs   []string                  `json:"add_dirs,omitempty" what:"directories that tools read and change like the working directory; absolute, or beginning with ~/"`
	Checks    []Check                   `json:"checks,omitempty" what:"commands that check files after each change"`
	Hooks     Hooks                     `json:"hooks,omitempty" what:"commands that run at events of a session, by event; see agent help hooks"`
	Tools     map[string]Tool           `json:"tools,omitempty" names:"^[a-z][a-z0-9_]{0,63}$" what:"additional tools for the model, by name; see agent help hooks"`
	LSP       map[string]LanguageServer `json:"lsp,omitempty" names:"^[a-z0-9][a-z0-9._-]*$" what:"language servers, by name; see agent help lsp"`
	Format    map[string]Command        `json:"format,omitempty" what:"formatters of the files that tools change, by glob such as *.go: a program that reads the text on standard input and prints it formatted, run without a shell: a list, or text that is split at spaces; {file} stands for the path; see agent help lsp"`
	Shell     Shell                     `json:"shell,omitempty" what:"commands: the model's, those typed after ! and checks"`
	Redact    *bool                     `json:"redact,omitempty" what:"replace API keys, tokens and private keys by placeholders in what the model gets, in sessions, exports and traces (default true); see agent help data"`
	Sandbox   *bool                     `json:"sandbox,omitempty" what:"run the model's commands in a sandbox (default true); see agent help sandbox"`
	MCP       MCP                       `json:"mcp,omitempty" what:"MCP servers, which give the model further tools; see agent help mcp"`
	WebSearch bool                      `json:"web_search,omitempty" what:"offer the web search of the provider; each session asks for approval first (default false); see agent help tools"`
	Sessions  Sessions                  `json:"sessions,omitempty" what:"retention of sessions"`
	Prompt
	Trace
	Screen
	Permissions Permissions `json:"permissions,omitempty" what:"rules that allow calls, require approval or deny calls; see agent help rules"`
}

// Limits holds the limits of a turn, a session and a reply.
type Limits struct {
	MaxSteps      int     `json:"max_steps,omitempty" min:"1" what:"maximum number of steps of a turn before it asks to continue (default 500); agent run stops (no default with another limit)"`
	TokenBudget   int     `json:"token_budget,omitempty" min:"1" what:"maximum tokens of a turn, input and output, before it asks to continue; agent run stops"`
	MaxCost       float64 `json:"max_cost,omitempty" what:"maximum cost of a turn in US dollars before it asks to continue; agent run stops"`
	MaxTime       string  `json:"max_time,omitempty" format:"duration" what:"maximum duration of a turn, such as 10m, before it asks to continue; agent run stops"`
	SessionBudget *Budget `json:"session_budget,omitempty" what:"limits of a session"`
	MaxReply      int     `json:"max_reply_bytes,omitempty" min:"1024" max:"8388608" what:"size limit of one reply of the model, in bytes of text, reasoning and tool arguments; a longer reply is stopped and kept (default and maximum 8388608)"`
	MaxDelegates  int     `json:"max_delegates,omitempty" min:"1" max:"32" what:"how many delegates work at once; others wait (default 8)"`
}

// Trace holds the settings of OpenTelemetry traces.
type Trace struct {
	File    string `json:"trace,omitempty" what:"append an OpenTelemetry trace to this file, relative to the configuration directory: one OTLP/JSON request per line (default: no trace)"`
	Content bool   `json:"trace_content,omitempty" what:"include prompts, answers, tool arguments, results and the texts of errors in the trace (default false)"`
}

// Prompt holds the settings of the system prompt.
type Prompt struct {
	System       string `json:"system,omitempty" what:"system prompt in place of the built-in one: a text, or @FILE, relative to the configuration directory"`
	AppendSystem string `json:"append_system,omitempty" what:"addition to the system prompt: a text, or @FILE, relative to the configuration directory"`
}

// Screen holds the settings of the screen.
type Screen struct {
	Theme        string              `json:"theme,omitempty" enum:"terminal,dark,light,high-contrast,gruvbox,catppuccin" what:"color theme: terminal, dark, light, high-contrast, gruvbox, catppuccin (default terminal, which uses the colors of the terminal)"`
	Diff         string              `json:"diff,omitempty" enum:"auto,unified,split" what:"diff layout: unified, split (side by side) or auto (default: split if the screen is wide enough)"`
	ASCII        *bool               `json:"ascii,omitempty" what:"draw the screen with ASCII characters only (default: if the locale is not UTF-8)"`
	Mouse        *bool               `json:"mouse,omitempty" what:"enable mouse support; false leaves selection to the terminal (default true)"`
	CopyOnSelect *bool               `json:"copy_on_select,omitempty" what:"copy a mouse selection immediately; if false, alt+w copies it (default true)"`
	Editor       string              `json:"editor,omitempty" enum:"emacs,vim" what:"key bindings of the prompt editor: emacs (default) or vim"`
	Keys         map[string][]string `json:"keys,omitempty" names:"^[a-z0-9][a-z0-9._-]*$" what:"key bindings by action name; a space separates the keys of a sequence; agent keys lists all actions"`
	Status       []string            `json:"status,omitempty" enum:"model,directory,branch,tokens,cost,jobs,mode" what:"items of the status line, in order: model, directory, branch, tokens, cost and jobs; the permission mode is always shown at the right"`
	Notify       string              `json:"notify,omitempty" enum:"auto,bell,osc9,osc99,osc777,off" what:"notification when a turn ends or needs an answer while another window has the focus: auto, bell, osc9, osc99, osc777 or off"`
	NotifyAfter  *int                `json:"notify_after_seconds,omitempty" min:"0" what:"minimum turn length for a notification, in seconds (default 10)"`
	Progress     *bool               `json:"progress,omitempty" what:"show progress in the terminal tab (default: if the terminal supports it)"`
}

// Budget holds the limits of a session.
type Budget struct {
	Steps  int     `json:"steps,omitempty" min:"1" what:"maximum steps"`
	Tokens int     `json:"tokens,omitempty" min:"1" what:"maximum tokens, input and output"`
	Cost   float64 `json:"cost,omitempty" what:"maximum cost in US dollars"`
	Time   string  `json:"time,omitempty" format:"duration" what:"maximum time of all turns, such as 2h"`
}

// Sessions holds the settings of stored sessions.
type Sessions struct {
	KeepDays int `json:"keep_days,omitempty" min:"1" what:"delete sessions not used for this many days, at startup (default: never)"`
}

// Shell holds the settings of the commands that run in the workspace.
type Shell struct {
	KeepEnv   []string `json:"keep_env,omitempty" format:"variable" what:"environment variables that commands get although their name or value looks like a secret, such as TEST_TOKEN or DATABASE_URL"`
	MaxOutput int      `json:"max_output_bytes,omitempty" min:"1024" max:"1048576" what:"maximum bytes of a command's output that the model gets, half from the beginning and half from the end; the complete output is in a file (default 12288)"`
}

// Check is a command that runs, without permission, after changes of certain files.
type Check struct {
	Files   string `json:"files" format:"glob" what:"files to check: *.go by name, web/**/*.ts by path"`
	Command string `json:"command" format:"command" what:"shell command, run in the working directory; {file} is replaced by the changed files"`
	Timeout int    `json:"timeout_seconds,omitempty" min:"1" what:"time limit in seconds (default 30)"`
	Sandbox *bool  `json:"sandbox,omitempty" what:"false runs the check outside the sandbox, where files that the model can write may do anything that you can do (default true)"`
}

// Provider configures a provider, or overrides a built-in one.
type Provider struct {
	BaseURL string            `json:"base_url,omitempty" format:"uri" what:"base URL"`
	Dialect string            `json:"dialect,omitempty" enum:"openai,responses,anthropic" what:"API protocol: openai (Chat Completions, default for new providers), responses or anthropic"`
	Default string            `json:"default,omitempty" what:"default model"`
	Key     *Key              `json:"key,omitempty" what:"source of the API key; omit if the server needs none"`
	Headers map[string]string `json:"headers,omitempty" what:"headers sent with every request"`
	Models  map[string]Model  `json:"models,omitempty" what:"models, with overrides of their data"`
}

// Key is the source of an API key.
type Key struct {
	Env     string  `json:"env,omitempty" what:"environment variable that holds the API key"`
	Command Command `json:"command,omitempty" what:"command that prints the API key (argument list or shell line)"`
}

// Command is a program with its arguments, or a line for the shell.
type Command struct {
	Words []string // a program and its arguments
	Line  string   // for the shell, instead of Words
}

// UnmarshalJSON decodes a list of words or a shell line.
func (c *Command) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &c.Line)
	}
	return json.Unmarshal(b, &c.Words)
}

// MarshalJSON encodes the form that is set.
func (c Command) MarshalJSON() ([]byte, error) {
	if c.Line != "" {
		return json.Marshal(c.Line)
	}
	return json.Marshal(c.Words)
}

// Empty reports whether no command is set.
func (c Command) Empty() bool { return c.Line == "" && len(c.Words) == 0 }

// Model overrides the built-in data of a model. Unset fields keep the built-in
// values.
type Model struct {
	Context int      `json:"context,omitempty" min:"1" what:"context window in tokens"`
	Output  int      `json:"output,omitempty" min:"1" what:"maximum output tokens"`
	Price   *Price   `json:"price,omitempty" what:"prices in US dollars per million tokens"`
	Tools   *bool    `json:"tools,omitempty" what:"supports native tool calls; if false, calls are parsed from text"`
	Vision  *bool    `json:"vision,omitempty" what:"supports image input"`
	Effort  []string `json:"effort,omitempty" what:"supported levels of reasoning effort"`
	Dialect string   `json:"dialect,omitempty" enum:"openai,responses" what:"API protocol, if the provider has several"`
	Thinks  *bool    `json:"keep_thinking,omitempty" what:"send the model's thinking back to it (default: for DeepSeek, GLM, Kimi and Qwen models, and for models whose server asks for it)"`
	Form    string   `json:"form,omitempty" enum:"tool_call,react" what:"text format of tool calls for models without native tool calls"`
}

// Price is the price of a million tokens, in US dollars.
type Price struct {
	Input      float64 `json:"input,omitempty" what:"price of input tokens, in US dollars per million"`
	Cached     float64 `json:"cached,omitempty" what:"price of cached input tokens, in US dollars per million"`
	CacheWrite float64 `json:"cache_write,omitempty" what:"price of input tokens written to a cache, in US dollars per million"`
	Output     float64 `json:"output,omitempty" what:"price of output tokens, in US dollars per million"`
}

// File is the content of a configuration file.
type File struct {
	Settings
	Path  string
	Lines map[string]int // line numbers by setting: "providers.groq.base_url", "checks[0]"
	Rules []rule.Rule    // those of Permissions
}

// Path returns the path of the configuration file: $XDG_CONFIG_HOME/agent/config.json,
// or ~/.config/agent/config.json by default.
func Path(getenv func(string) string) (string, error) {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "agent", "config.json"), nil
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "agent", "config.json"), nil
	}
	if dir := getenv("AppData"); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "agent", "config.json"), nil
	}
	return "", errors.New("find the configuration directory: HOME is not set to an absolute path. Set HOME, or both XDG_CONFIG_HOME and XDG_STATE_HOME")
}

// Read reads the file at path. A missing file holds no settings. An unknown key or an
// invalid value is an error that names the line.
func Read(path string) (File, error) {
	f := File{Path: path}
	b, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return File{}, err
	}
	if f.Lines, err = decode(path, b, &f.Settings); err != nil {
		return File{}, err
	}
	if err := f.Hooks.check("hooks", f.Lines); err != nil {
		return File{}, fmt.Errorf("%s:%w", path, err)
	}
	if err := checkTools(f.Tools, f.Lines); err != nil {
		return File{}, fmt.Errorf("%s:%w", path, err)
	}
	if err := f.checkPrograms(f.Lines); err != nil {
		return File{}, fmt.Errorf("%s:%w", path, err)
	}
	if f.Rules, err = f.Permissions.Rules(path, f.Lines); err != nil {
		return File{}, err
	}
	if err := f.MCP.check(path, f.Lines); err != nil {
		return File{}, err
	}
	return f, nil
}

// decode checks the content b of the file at path, decodes it into v, and returns the
// line of every setting.
func decode[T any](path string, b []byte, v *T) (map[string]int, error) {
	lines, err := check[T](b)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return lines, nil
}
