package models

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"agent/internal/history"
	"agent/internal/llm/wire"
)

const (
	// learnedVersion is the version of the file's format. A file of another version
	// is replaced.
	learnedVersion = 1
	// learnedFor is how long a fact is used. After that, the server may have been
	// updated.
	learnedFor = 14 * 24 * time.Hour
)

// learnedFile stores facts about servers in a file in the data directory.
// It is a cache: a file that cannot be read or written loses nothing but a repeated
// request. It is safe for concurrent use.
type learnedFile struct {
	path string // empty if nothing is stored
	now  func() time.Time

	mu     sync.Mutex
	read   bool
	loaded learnedFacts
}

// learnedFacts is the content of the file.
type learnedFacts struct {
	Version int           `json:"version"`
	Facts   []learnedFact `json:"facts"`
}

// learnedFact is a fact about a model at a base URL. See wire.ServerLimits.
type learnedFact struct {
	BaseURL string    `json:"base_url"` // without secrets
	Model   string    `json:"model"`
	Fact    string    `json:"fact"`
	Time    time.Time `json:"time"`
}

// newLearnedFile returns the user's file.
func newLearnedFile() *learnedFile {
	l := &learnedFile{now: time.Now}
	if dir, err := history.Dir(os.Getenv); err == nil {
		l.path = filepath.Join(dir, "servers.json")
	}
	return l
}

// ServerLimits returns the facts about the server at a base URL.
func ServerLimits(base string) wire.ServerLimits { return newLearnedFile().server(base) }

// server returns the facts about the server at a base URL.
func (l *learnedFile) server(base string) wire.ServerLimits {
	return learnedServer{l, wire.Redacted(base)}
}

// load reads the file, without facts that are too old.
func (l *learnedFile) load() {
	var file learnedFacts
	b, err := os.ReadFile(l.path)
	if err != nil || json.Unmarshal(b, &file) != nil || file.Version != learnedVersion {
		file = learnedFacts{Version: learnedVersion}
	}
	file.Facts = slices.DeleteFunc(file.Facts, func(f learnedFact) bool { return l.now().Sub(f.Time) > learnedFor })
	l.loaded, l.read = file, true
}

// add adds a fact to the file, which another process may have changed. If the file cannot be
// changed, only this process uses the fact.
func (l *learnedFile) add(base, model, fact string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	learned := learnedFact{base, model, fact, l.now().UTC()}
	if l.path == "" || history.Exclusive(l.path, func() error { return l.store(learned) }) != nil {
		l.learn(learned)
	}
}

// store adds a fact to the file, which is locked.
func (l *learnedFile) store(learned learnedFact) error {
	l.learn(learned)
	b, err := json.MarshalIndent(l.loaded, "", "  ")
	if err != nil {
		return err
	}
	return history.Replace(l.path, append(b, '\n'), false)
}

// learn reads the file and adds a fact to what was read.
func (l *learnedFile) learn(learned learnedFact) {
	l.load()
	l.loaded.Facts = slices.DeleteFunc(l.loaded.Facts, func(f learnedFact) bool {
		return f.BaseURL == learned.BaseURL && f.Model == learned.Model && f.Fact == learned.Fact
	})
	l.loaded.Facts = append(l.loaded.Facts, learned)
}

// facts returns the facts about a model, in the order in which they were learned.
func (l *learnedFile) facts(base, model string) (facts []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.read {
		l.load()
	}
	for _, f := range l.loaded.Facts {
		if f.BaseURL == base && f.Model == model {
			facts = append(facts, f.Fact)
		}
	}
	return facts
}

// learnedServer is the part of the file about one server.
type learnedServer struct {
	file *learnedFile
	base string
}

func (s learnedServer) Limits(model string) []string { return s.file.facts(s.base, model) }
func (s learnedServer) Learn(model, fact string)     { s.file.add(s.base, model, fact) }
