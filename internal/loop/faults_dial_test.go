package loop_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"time"
)

// dial opens a connection or fails.
type dial func(ctx context.Context, network, address string) (net.Conn, error)

// dials are the dials of consecutive connections. After them, and for nil, the default
// dial is used.
type dials struct {
	mu   sync.Mutex
	list []dial
}

func (d *dials) next(ctx context.Context, network, address string) (net.Conn, error) {
	d.mu.Lock()
	how := (&net.Dialer{}).DialContext
	if len(d.list) > 0 {
		if d.list[0] != nil {
			how = d.list[0]
		}
		d.list = d.list[1:]
	}
	d.mu.Unlock()
	return how(ctx, network, address)
}

// hole is a dial that times out.
func (st *stage) hole(ctx context.Context, _, _ string) (net.Conn, error) {
	st.clock.ring(10 * time.Second)
	<-ctx.Done()
	return nil, ctx.Err()
}

// closed dials a port on which nothing listens.
func closed(ctx context.Context, network, _ string) (net.Conn, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_ = ln.Close()
	return (&net.Dialer{}).DialContext(ctx, network, ln.Addr().String())
}

// to returns a dial to another server.
func to(other *server) dial {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, other.ln.Addr().String())
	}
}

// resolved returns a dial that lookups up name at the name server that ns reaches.
func resolved(name string, nameServer func(ctx context.Context) (net.Conn, error)) dial {
	r := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) { return nameServer(ctx) }}
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{Resolver: r}).DialContext(ctx, network, name+":80")
	}
}

// noSuchName dials a name server that answers NXDOMAIN.
func noSuchName(context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	go denyNames(there)
	return here, nil
}

// denyNames answers that a name does not exist.
func denyNames(query net.Conn) {
	defer query.Close()
	for {
		size := make([]byte, 2)
		if _, err := io.ReadFull(query, size); err != nil {
			return
		}
		message := make([]byte, binary.BigEndian.Uint16(size))
		if _, err := io.ReadFull(query, message); err != nil {
			return
		}
		message[2] |= 0x80 // a response
		message[3] = 0x83  // with recursion, and NXDOMAIN
		if _, err := query.Write(append(size, message...)); err != nil {
			return
		}
	}
}

// noNameServer returns a dial that times out.
func (st *stage) noNameServer() func(ctx context.Context) (net.Conn, error) {
	var once sync.Once // several name servers are queried at once
	return func(ctx context.Context) (net.Conn, error) {
		once.Do(func() { st.clock.ring(10 * time.Second) })
		<-ctx.Done()
		return nil, ctx.Err()
	}
}
