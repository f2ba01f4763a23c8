package loop_test

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"strings"
)

// HTTP/2 constants.
const (
	frameData      = 0x0
	frameHeaders   = 0x1
	frameRSTStream = 0x3
	frameSettings  = 0x4
	frameGoAway    = 0x7

	flagEnd        = 0x1 // END_STREAM; ACK of settings
	flagEndHeaders = 0x4

	preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
)

// http2 returns a dial to an HTTP/2 server that handles the first request with then
// and closes. Later requests use HTTP/1.
func http2(st *stage, then func(p *peer), want string) scene {
	other := st.other(&tls.Config{Certificates: []tls.Certificate{st.certs.right}, NextProtos: []string{"h2"}})
	other.greet = func(p *peer) {
		if err := p.request2(); err != nil {
			st.t.Error(err)
			return
		}
		then(p)
		p.gone()
	}
	other.start(nil)
	return scene{tls: true, dials: []dial{to(other)}, want: want}
}

// cutHTTP2 is a reply over HTTP/2 that how cuts off.
func cutHTTP2(how func(p *peer)) func(*stage, phase) scene {
	return func(st *stage, p phase) scene {
		stream, shown := half(st, p)
		want := cutBy(p, broke, brokeHint)
		// The first request is another server's.
		want = strings.NewReplacer("requests 1", "requests 0", "requests 2", "requests 1").Replace(want)
		return http2(st, func(l *peer) {
			l.frame(frameHeaders, flagEndHeaders, 1, []byte("\x88\x0f\x10\x11text/event-stream")) // :status 200, content-type
			l.frame(frameData, 0, 1, []byte(stream))
			l.shown(shown)
			how(l)
		}, want)
	}
}

// frame sends a frame.
func (p *peer) frame(kind, flags byte, stream uint32, payload []byte) {
	head := []byte{0, 0, 0, kind, flags, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(head[5:], stream)
	head[0], head[1], head[2] = byte(len(payload)>>16), byte(len(payload)>>8), byte(len(payload))
	p.write(string(head) + string(payload))
}

// request2 reads a request.
func (p *peer) request2() error {
	if _, err := io.CopyN(io.Discard, p.r, int64(len(preface))); err != nil {
		return err
	}
	p.frame(frameSettings, 0, 0, nil)
	for {
		head := make([]byte, 9)
		if _, err := io.ReadFull(p.r, head); err != nil {
			return err
		}
		size := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
		if _, err := io.CopyN(io.Discard, p.r, size); err != nil {
			return err
		}
		switch kind, flags := head[3], head[4]; {
		case kind == frameSettings && flags == 0:
			p.frame(frameSettings, flagEnd, 0, nil)
		case (kind == frameData || kind == frameHeaders) && flags&flagEnd != 0:
			return nil
		}
	}
}

// goAway sends GOAWAY with the last processed stream.
func (p *peer) goAway(last uint32) {
	p.frame(frameGoAway, 0, 0, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, last), 0))
	_ = p.Close()
}

// rstStream resets the first stream and sends GOAWAY.
func (p *peer) rstStream() {
	const internalError = 2
	// in this order, so that the next request uses another connection
	p.frame(frameGoAway, 0, 0, binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 1), 0))
	p.frame(frameRSTStream, 0, 1, binary.BigEndian.AppendUint32(nil, internalError))
	_ = p.Close()
}
