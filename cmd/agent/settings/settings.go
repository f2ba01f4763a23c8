// Package settings reads the person's configuration file.
//
// Nothing from the working directory is read here: a repository must not be
// able to choose an endpoint, a model or what is asked about.
package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// Settings are what a person can set once for all. Empty fields are not set.
// The tag "what" is what the README says of one.
type Settings struct {
	Model    string `json:"model,omitempty" what:"the model, as PROVIDER/NAME"`
	BaseURL  string `json:"base_url,omitempty" what:"URL of an OpenAI-compatible server"`
	Mode     string `json:"mode,omitempty" what:"what is asked about: ask, edits or all"`
	MaxSteps int    `json:"max_steps,omitempty" what:"steps after which a turn asks whether it may go on"`
}

// Path returns where the file is expected: $XDG_CONFIG_HOME/agent/config.json,
// by default ~/.config/agent/config.json.
func Path(getenv func(string) string) (string, error) {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "agent", "config.json"), nil
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "agent", "config.json"), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the configuration: %w (set XDG_CONFIG_HOME)", err)
	}
	return filepath.Join(dir, "agent", "config.json"), nil
}

// Load reads the file at path. One that does not exist holds no settings; one
// with a key or a value that means nothing is refused, with the line.
func Load(path string) (Settings, error) {
	var s Settings
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read the configuration: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Settings{}, fmt.Errorf("%s:%d: %w", path, line(b, d, err), explain(err))
	}
	if d.More() {
		return Settings{}, fmt.Errorf("%s:%d: something follows the closing brace", path, lineAt(b, d.InputOffset()))
	}
	return s, nil
}

// line returns the line of b that err is about.
func line(b []byte, d *json.Decoder, err error) int {
	at := d.InputOffset()
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = e.Offset
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at = e.Offset
	}
	if key, ok := unknownKey(err); ok {
		if i := bytes.Index(b, []byte(`"`+key+`"`)); i >= 0 {
			at = int64(i)
		}
	}
	return lineAt(b, at)
}

func lineAt(b []byte, at int64) int {
	return 1 + bytes.Count(b[:min(at, int64(len(b)))], []byte("\n"))
}

// explain names the keys that exist when err is about one that does not.
func explain(err error) error {
	key, ok := unknownKey(err)
	if !ok {
		return err
	}
	var keys []string
	for f := range reflect.TypeFor[Settings]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, name)
	}
	return fmt.Errorf("there is no setting %q. The settings are: %s", key, strings.Join(keys, ", "))
}

// unknownKey returns the key that encoding/json did not know.
func unknownKey(err error) (string, bool) {
	_, key, ok := strings.Cut(err.Error(), `unknown field "`)
	return strings.TrimSuffix(key, `"`), ok
}
