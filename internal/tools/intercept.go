package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
)

// Info identifies a call for interceptors.
type Info struct {
	ID   string          // of the call
	Tool string          // name of the tool
	Args json.RawMessage // before any interceptor changed them
	Step int             // of the session, from 1; 0 for a command that the user typed
	More bool            // more calls of the same reply follow
	// Effective is as in Call. It is set for ArgumentsInterceptor and CheckInterceptor, and
	// has the arguments before any interceptor changed them.
	Effective *Effective
	// Targets returns the targets of the call with other arguments, as the interceptors after
	// this one and the tool resolve them; none if it fails. It is set for ArgumentsInterceptor.
	Targets func(args json.RawMessage) []Target
}

// Runner runs an approved call.
type Runner func(ctx context.Context, c Call, ok Approved) (Result, error)

// ArgumentsInterceptor changes the arguments of a call before Prepare. Its error
// is the result of the call.
type ArgumentsInterceptor interface {
	Arguments(ctx context.Context, in Info, args json.RawMessage) (json.RawMessage, error)
}

// CheckInterceptor inspects a prepared call before the permission verdict. It may
// add warnings and targets. Its error is the result of the call.
type CheckInterceptor interface {
	Check(ctx context.Context, in Info, c *Call) error
}

// RunInterceptor wraps the run of an approved call. It calls next at most once,
// and returns the result for the model.
type RunInterceptor interface {
	Run(ctx context.Context, in Info, c Call, ok Approved, next Runner) (Result, error)
}

// Interceptors act on every call, each kind in list order. Run wrappers nest: the first one
// sees the result last. The zero value does nothing.
type Interceptors struct {
	Arguments []ArgumentsInterceptor
	Check     []CheckInterceptor
	Around    []RunInterceptor
}

// Intercept returns the interceptors of all, in their order. It panics if an argument
// implements none of the three interfaces.
func Intercept(all ...any) (is Interceptors) {
	for _, x := range all {
		arguments, changes := x.(ArgumentsInterceptor)
		check, checks := x.(CheckInterceptor)
		around, runs := x.(RunInterceptor)
		if changes {
			is.Arguments = append(is.Arguments, arguments)
		}
		if checks {
			is.Check = append(is.Check, check)
		}
		if runs {
			is.Around = append(is.Around, around)
		}
		if !changes && !checks && !runs {
			panic(fmt.Sprintf("%T implements no interceptor interface", x))
		}
	}
	return is
}

// Prepare runs the argument interceptors, t.Prepare, and the check interceptors.
func (is Interceptors) Prepare(ctx context.Context, in Info, t Tool) (Call, error) {
	args := in.Args
	if _, ok := t.(indirect); ok {
		if c, err := t.Prepare(ctx, args); err == nil {
			in.Effective = c.Effective
		}
	}
	args, err := is.arguments(ctx, in, t, args)
	if err != nil {
		return Call{Effective: in.Effective}, err
	}
	c, err := t.Prepare(ctx, args)
	if err != nil {
		return c, err
	}
	if c.Effective.tool() != in.Effective.tool() { // the interceptors have seen another call
		return Call{}, fmt.Errorf("not run: %s was not available when the call arrived. Send the call again", c.Effective.tool())
	}
	c.Effective = in.Effective
	for _, x := range is.Check {
		if err := x.Check(ctx, in, &c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// arguments runs the argument interceptors.
func (is Interceptors) arguments(ctx context.Context, in Info, t Tool, args json.RawMessage) (json.RawMessage, error) {
	for i, x := range is.Arguments {
		in.Targets = func(args json.RawMessage) []Target {
			args, err := Interceptors{Arguments: is.Arguments[i+1:]}.arguments(ctx, in, t, args)
			if err != nil {
				return nil
			}
			c, _ := t.Prepare(ctx, args) // the call itself reports the error
			return c.Targets
		}
		var err error
		if args, err = x.Arguments(ctx, in, args); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// Run runs an approved call inside the run interceptors.
func (is Interceptors) Run(ctx context.Context, in Info, c Call, ok Approved) (Result, error) {
	next := Runner(func(ctx context.Context, c Call, ok Approved) (Result, error) { return c.Run(ctx, ok) })
	for _, x := range slices.Backward(is.Around) {
		inner := next
		next = func(ctx context.Context, c Call, ok Approved) (Result, error) { return x.Run(ctx, in, c, ok, inner) }
	}
	return next(ctx, c, ok)
}
