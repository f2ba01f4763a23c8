// Package settings reads the person's configuration file.
//
// Nothing from the working directory is read here: a repository must not be
// able to choose an endpoint, a model or what is asked about. No setting holds
// a key: it says where one is.
package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
)

// Settings are what a person can set once for all. Empty fields are not set.
// The tag "what" is what the README and the schema say of one; "enum", "format",
// "min", "max" and "names" say what it may be. A field without omitempty must be there.
type Settings struct {
	Schema    string              `json:"$schema,omitempty" what:"where an editor finds the schema of this file; agent config schema prints it"`
	Model     string              `json:"model,omitempty" what:"the model, as PROVIDER/NAME"`
	Models    []string            `json:"models,omitempty" what:"models in order: where a quota is used up or a provider is overloaded, the next one answers for a while"`
	BaseURL   string              `json:"base_url,omitempty" format:"uri" what:"URL of an OpenAI-compatible server"`
	Mode      string              `json:"mode,omitempty" enum:"ask,edits,plan,all" what:"what is asked about: ask, edits, plan or all"`
	MaxSteps  int                 `json:"max_steps,omitempty" min:"1" what:"steps after which a turn asks whether it may go on"`
	MaxReply  int                 `json:"max_reply_bytes,omitempty" min:"1024" max:"8388608" what:"bytes of text, thinking and tool arguments that one reply of a model may have; at this size it is stopped and kept (default and at most 8388608)"`
	Effort    string              `json:"effort,omitempty" what:"how hard a model shall think, where it has levels: low, medium, high or what else it takes"`
	Local     *bool               `json:"local,omitempty" what:"whether servers on this machine are looked for when nothing else is connected (default true)"`
	Providers map[string]Provider `json:"providers,omitempty" names:"^[a-z0-9][a-z0-9._-]*$" what:"providers by name: those of the table, changed, and new ones"`
	AllowHTTP []string            `json:"allow_http,omitempty" format:"host" what:"hosts, with or without a port, to which an API key may be sent over plain http (default none; this machine is always allowed)"`
	Catalog   map[string]Model    `json:"catalog,omitempty" what:"what is known better of models, by the beginning of NAME or PROVIDER/NAME"`
	Checks    []Check             `json:"checks,omitempty" what:"commands that check files after each change of them"`
	Shell     Shell               `json:"shell,omitempty" what:"how commands run: the model's, those typed after ! and checks"`
	Sessions  Sessions            `json:"sessions,omitempty" what:"how long sessions are kept"`
	Screen
}

// Screen holds the settings of the screen.
type Screen struct {
	Theme        string              `json:"theme,omitempty" enum:"terminal,dark,light,high-contrast,gruvbox,catppuccin" what:"colours of the screen: terminal, dark, light, high-contrast, gruvbox, catppuccin (default terminal, which leaves them to the terminal)"`
	Diff         string              `json:"diff,omitempty" enum:"auto,unified,split" what:"how changes are shown: unified, split (side by side) or auto, which is split where there is room (default auto)"`
	ASCII        *bool               `json:"ascii,omitempty" what:"whether the screen is drawn with ASCII alone (default: where the locale is not UTF-8)"`
	Mouse        *bool               `json:"mouse,omitempty" what:"whether the wheel scrolls the screen; false leaves the mouse to the terminal, which can then mark text (default true)"`
	CopyOnSelect *bool               `json:"copy_on_select,omitempty" what:"whether what the mouse marks goes to the clipboard at once; false leaves it marked until alt+w copies it (default true)"`
	Editor       string              `json:"editor,omitempty" enum:"emacs,vim" what:"the keys with which text is edited: emacs, as in a shell (default), or vim"`
	Keys         map[string][]string `json:"keys,omitempty" names:"^[a-z0-9][a-z0-9._-]*$" what:"keys by the name of what they do, in place of the usual ones; several names in one text are pressed one after the other; agent keys lists them all"`
	Status       []string            `json:"status,omitempty" enum:"model,directory,branch,tokens,cost,jobs,mode" what:"what the last line tells, in order: model, directory, branch, tokens, cost, jobs and mode"`
	Notify       string              `json:"notify,omitempty" enum:"auto,bell,osc9,osc99,osc777,off" what:"how the terminal tells that a turn has ended or a question waits while another window has the focus: auto, bell, osc9, osc99, osc777 or off"`
	NotifyAfter  *int                `json:"notify_after_seconds,omitempty" min:"0" what:"seconds that a turn must have taken for its end to be told (default 10)"`
	Progress     *bool               `json:"progress,omitempty" what:"whether the terminal is to show that a turn runs (default: where that is known to work)"`
}

// Sessions are settings of what is kept.
type Sessions struct {
	KeepDays int `json:"keep_days,omitempty" min:"1" what:"days without use after which a session is removed when the program starts (default: never)"`
}

// Shell are settings of the commands that run in the workspace.
type Shell struct {
	KeepEnv []string `json:"keep_env,omitempty" format:"variable" what:"environment variables that commands keep although their name or value looks like a secret: TEST_TOKEN, DATABASE_URL"`
}

// Check is a command that is run, unasked, after each change of certain files.
type Check struct {
	Files   string `json:"files" format:"glob" what:"the files it is for: *.go by name, web/**/*.ts by path"`
	Command string `json:"command" format:"command" what:"one line for the shell, run in the working directory; {file} stands for the changed files"`
	Timeout int    `json:"timeout_seconds,omitempty" min:"1" what:"its time limit in seconds (default 30)"`
}

// Provider is what is said of a provider.
type Provider struct {
	BaseURL string            `json:"base_url,omitempty" format:"uri" what:"where it is"`
	Dialect string            `json:"dialect,omitempty" enum:"openai,responses,anthropic" what:"how it is spoken to: openai (chat completions, the default of a new one), responses or anthropic"`
	Default string            `json:"default,omitempty" what:"its model where only the provider is named"`
	Key     *Key              `json:"key,omitempty" what:"where its key is; none for a server that wants none"`
	Headers map[string]string `json:"headers,omitempty" what:"headers sent with every request"`
	Models  map[string]Model  `json:"models,omitempty" what:"its models, and what is known of them"`
}

// Key says where a key is.
type Key struct {
	Env     string  `json:"env,omitempty" what:"the variable of the environment that holds it"`
	Command Command `json:"command,omitempty" what:"the command that prints it: a list of words, or one line for the shell"`
}

// Command is a program and its arguments; a single word with a blank in it is
// a line for the shell.
type Command struct {
	Words []string // a program and its arguments
	Line  string   // for the shell, in their place
}

// UnmarshalJSON reads either form.
func (c *Command) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &c.Line)
	}
	return json.Unmarshal(b, &c.Words)
}

// MarshalJSON writes the form that is held.
func (c Command) MarshalJSON() ([]byte, error) {
	if c.Line != "" {
		return json.Marshal(c.Line)
	}
	return json.Marshal(c.Words)
}

// Empty reports whether there is no command.
func (c Command) Empty() bool { return c.Line == "" && len(c.Words) == 0 }

// Model is what is known of a model. What is left out stays as the program
// knows it.
type Model struct {
	Context int      `json:"context,omitempty" min:"1" what:"tokens of its window"`
	Output  int      `json:"output,omitempty" min:"1" what:"tokens that a reply may have"`
	Price   *Price   `json:"price,omitempty" what:"US dollars for a million tokens"`
	Tools   *bool    `json:"tools,omitempty" what:"whether it calls tools by itself; otherwise its calls are read from its text"`
	Vision  *bool    `json:"vision,omitempty" what:"whether it sees images"`
	Effort  []string `json:"effort,omitempty" what:"the levels of effort that it takes"`
	Dialect string   `json:"dialect,omitempty" enum:"openai,responses" what:"how it is spoken to, where its provider has both"`
	Form    string   `json:"form,omitempty" enum:"tool_call,react" what:"how it writes calls as text, where it has no tools"`
}

// Price is what a million tokens cost.
type Price struct {
	Input      float64 `json:"input,omitempty" what:"of what is sent"`
	Cached     float64 `json:"cached,omitempty" what:"of what is sent and read from a cache"`
	CacheWrite float64 `json:"cache_write,omitempty" what:"of what is sent and written to a cache"`
	Output     float64 `json:"output,omitempty" what:"of what is said"`
}

// File is a configuration file that was read.
type File struct {
	Settings
	Path  string
	Lines map[string]int // of each setting that it holds: "providers.groq.base_url"
}

// Path returns where the file is expected: $XDG_CONFIG_HOME/agent/config.json,
// by default ~/.config/agent/config.json.
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
	return "", errors.New("no place for the configuration: set HOME to an absolute path, or both XDG_CONFIG_HOME and XDG_STATE_HOME")
}

// Read reads the file at path. One that does not exist holds no settings; one
// with a key or a value that means nothing is refused, with the line.
func Read(path string) (File, error) {
	f := File{Path: path}
	b, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return File{}, err
	}
	if f.Lines, err = check(b); err != nil {
		return File{}, fmt.Errorf("%s:%w", path, err)
	}
	if err := json.Unmarshal(b, &f.Settings); err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}
