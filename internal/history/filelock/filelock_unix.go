//go:build unix

package filelock

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Try locks f until Unlock, or until this process ends. It returns false if another
// process, or this one through another open file, holds the lock.
func Try(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// Await is Try, but waits until the lock is free.
func Await(f *os.File) error { return flock(f, unix.LOCK_EX) }

// Unlock releases the lock. Closing f is not enough, because a child process that is
// starting may have inherited it.
func Unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }

func flock(f *os.File, how int) error {
	return retry(f, func() error { return unix.Flock(int(f.Fd()), how) })
}

// retry locks f with a system call, again if a signal interrupts it.
func retry(f *os.File, lock func() error) error {
	for {
		err := lock()
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		return nil
	}
}

// SyncDir makes the entries of a directory durable.
func SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
