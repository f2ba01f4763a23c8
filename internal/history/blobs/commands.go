package blobs

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"time"

	"agent/internal/history/filelock"
)

// commandsName is the file in which each session has a byte. All processes that run a command
// of the session hold a shared lock of it.
const commandsName = ".commands.lock"

// settleTime is the longest time that Settle waits. A command ends within milliseconds after
// the program that started it, unless it hangs in the kernel.
const settleTime = 5 * time.Second

// HoldForCommand says that this process runs a command whose changes the pack records, until
// the pack is closed or the process ends.
func (p *Pack) HoldForCommand() error {
	session, _, _ := splitName(filepath.Base(p.path))
	f, err := os.OpenFile(filepath.Join(filepath.Dir(p.path), commandsName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = f
	return filelock.Share(f, place(session))
}

// Settle waits until no command of a session runs any more. After the program that ran the
// session was killed, its commands end a moment later, and may change files until then.
func Settle(dir, session string) {
	f, err := os.Open(filepath.Join(dir, commandsName))
	if err != nil {
		return // no command has run
	}
	defer f.Close()
	for deadline := time.Now().Add(settleTime); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if held, err := filelock.Shared(f, place(session)); err != nil || !held {
			return
		}
	}
}

// place returns the offset of the byte of a session.
func place(session string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(session))
	return int64(h.Sum64() >> 2)
}
