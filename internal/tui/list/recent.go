package list

import (
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// recentKept is the maximum number of remembered options.
const recentKept = 8

// Recent holds the IDs of the most recently used options. The commands of Use save
// them; Save saves them at exit if such a command did not run.
type Recent struct {
	ids  []string       // the latest first
	save func([]string) // may be nil

	mu      sync.Mutex // guards unsaved
	unsaved []string
	saving  sync.Mutex // held while saving, so that an older list never overwrites a newer one
}

// NewRecent returns a Recent with these IDs, the latest first. save stores them and
// may be nil.
func NewRecent(ids []string, save func([]string)) *Recent { return &Recent{ids: ids, save: save} }

// Rank returns the number of options used since the one with that ID.
func (r *Recent) Rank(id string) int {
	if i := slices.Index(r.ids, id); i >= 0 {
		return i
	}
	return recentKept
}

// Used reports whether the option with that ID was used recently.
func (r *Recent) Used(id string) bool { return slices.Contains(r.ids, id) }

// Use records the use of an option and returns the command that saves it.
func (r *Recent) Use(id string) tea.Cmd {
	if len(r.ids) > 0 && r.ids[0] == id {
		return nil
	}
	before := slices.DeleteFunc(slices.Clone(r.ids), func(other string) bool { return other == id })
	r.ids = append([]string{id}, before[:min(len(before), recentKept-1)]...)
	if r.save == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unsaved = r.ids
	return func() tea.Msg {
		r.Save()
		return nil
	}
}

// Save saves unsaved options and returns when they are saved.
func (r *Recent) Save() {
	r.saving.Lock()
	defer r.saving.Unlock()
	r.mu.Lock()
	ids := r.unsaved
	r.unsaved = nil
	r.mu.Unlock()
	if ids != nil {
		r.save(ids)
	}
}
