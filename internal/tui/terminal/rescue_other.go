//go:build !linux && !darwin

package terminal

// rescuer does nothing on this platform.
type rescuer struct{}

func callRescuer(*tty, []byte, string) *rescuer { return nil }

func (r *rescuer) dismiss() {}
func (r *rescuer) hush()    {}
func (r *rescuer) loud()    {}
