package blobs

import (
	"bytes"
	"cmp"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// partSize is the length of a part, before compression. A longer content is stored in
// parts, which limits the memory for it and the time that other writers wait.
const partSize = 256 << 10

// encoder compresses parts. It is reused, because a flate.Writer is large.
type encoder struct {
	raw   []byte
	out   bytes.Buffer
	flate *flate.Writer
}

func (p *Pack) encoder() *encoder {
	if e, ok := p.encoders.Get().(*encoder); ok {
		return e
	}
	w, _ := flate.NewWriter(nil, flate.BestSpeed) // fails only for an invalid level
	return &encoder{raw: make([]byte, partSize), flate: w}
}

// smallSize is the size in bytes up to which contents are not compressed: that would take longer than
// all else that is done for them.
const smallSize = 8 << 10

// compress returns b in the format of flate, which is valid until the next call.
func (e *encoder) compress(b []byte) []byte {
	e.out.Reset()
	if len(b) <= smallSize { // the last block, stored as it is: its length, the inverse of that, and b
		head := binary.LittleEndian.AppendUint16([]byte{1}, uint16(len(b)))
		e.out.Write(binary.LittleEndian.AppendUint16(head, ^uint16(len(b))))
		e.out.Write(b)
		return e.out.Bytes()
	}
	e.flate.Reset(&e.out)
	_, _ = e.flate.Write(b) // a bytes.Buffer returns no errors
	_ = e.flate.Close()
	return e.out.Bytes()
}

// Put stores a content and returns its SHA-256 in hexadecimal and its size. A content
// that this Pack has stored or read, or that was stored recently, is not stored again. If
// it is longer than 256 KB, that works only for an io.Seeker, which is read twice. The
// error is an ErrFull or that of reading content or writing the pack.
func (p *Pack) Put(content io.Reader) (sum string, size int64, err error) {
	e := p.encoder()
	defer p.encoders.Put(e)
	n, err := io.ReadFull(content, e.raw)
	var h hash
	switch err {
	case nil:
		h, size, err = p.putParts(e, content)
	case io.EOF, io.ErrUnexpectedEOF:
		size = int64(n)
		h, err = p.putWhole(e, e.raw[:n])
	}
	if err != nil {
		return "", 0, fmt.Errorf("save the old content of a file: %w", err)
	}
	return hex.EncodeToString(h[:]), size, nil
}

// putWhole stores a content of one record. It locks mu.
func (p *Pack) putWhole(e *encoder, b []byte) (hash, error) {
	h := hash(sha256.Sum256(b))
	if p.stored(h) {
		return h, nil
	}
	return h, p.add(head{kind: contentKind, size: int64(len(b)), hash: h}, e.compress(b))
}

// putParts stores a content that begins with the bytes in e.raw. It locks mu.
func (p *Pack) putParts(e *encoder, rest io.Reader) (h hash, size int64, err error) {
	if s, ok := rest.(io.Seeker); ok {
		if h, size, err = sumOf(e.raw, rest); err != nil || p.stored(h) {
			return h, size, err
		}
		if _, err := s.Seek(partSize-size, io.SeekCurrent); err != nil {
			return h, 0, err
		}
	}
	var offsets []byte
	all, size := sha256.New(), int64(0)
	for n := len(e.raw); n > 0; {
		all.Write(e.raw[:n])
		size += int64(n)
		at, err := p.addPart(head{kind: partKind, size: int64(n)}, e.compress(e.raw[:n]))
		if err != nil {
			return h, 0, err
		}
		offsets = binary.LittleEndian.AppendUint64(offsets, uint64(at))
		if n, err = io.ReadFull(rest, e.raw); err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return h, 0, err
		}
	}
	all.Sum(h[:0])
	if p.stored(h) {
		return h, size, nil
	}
	return h, size, p.add(head{kind: listKind, size: size, hash: h}, offsets)
}

// sumOf returns the SHA-256 and the size of begin followed by rest.
func sumOf(begin []byte, rest io.Reader) (h hash, size int64, err error) {
	all := sha256.New()
	all.Write(begin)
	size, err = io.Copy(all, rest)
	all.Sum(h[:0])
	return h, size + int64(len(begin)), err
}

// addPart appends a record and returns its offset. It locks mu.
func (p *Pack) addPart(h head, payload []byte) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.append(h, payload)
}

// add appends the record of a content. It locks mu.
func (p *Pack) add(h head, payload []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, err := p.append(h, payload)
	if err == nil {
		p.index[h.hash] = at
	}
	return err
}

// recentSize is how much of the end of a pack is searched for contents that others
// stored, in bytes.
const recentSize = 1 << 20

// stored reports whether the index has a content whose record is undamaged, or a kept file has it. It
// locks mu.
func (p *Pack) stored(h hash) bool {
	if _, checked, ok := p.keptWith(h); ok && checked {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.indexed > 0 {
		_ = p.readIndex() // without it, the content is only stored again
	} else if !p.seen {
		p.seen = true
		p.readRecent()
	}
	at, ok := p.index[h]
	return ok && p.isIntact(at, h)
}

// readRecent adds the contents near the end of the pack to the index.
func (p *Pack) readRecent() {
	size, err := p.open()
	if err != nil || size == 0 {
		return
	}
	s := scanner{f: p.f, mark: p.mark, off: max(headerSize, size-recentSize), end: size}
	_ = p.addContents(&s) // without them, contents are only stored again
}

// readIndex adds all contents of the pack to the index.
func (p *Pack) readIndex() error {
	size, err := p.open()
	if err != nil || size == 0 {
		return err
	}
	s := scanner{f: p.f, mark: p.mark, off: max(headerSize, p.indexed), end: size}
	err = p.addContents(&s)
	p.indexed = s.off
	return err
}

// addContents adds the contents that s finds to the index.
func (p *Pack) addContents(s *scanner) error {
	for {
		r, _, err := s.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if r.kind == contentKind || r.kind == listKind {
			p.index[r.hash] = r.start
		}
	}
}

// isIntact reports whether the record of a content is at an offset and undamaged.
func (p *Pack) isIntact(at int64, want hash) bool {
	h, payload, err := p.record(at)
	if err != nil || h.hash != want {
		return false
	}
	if h.kind != listKind {
		return true
	}
	for offset := range offsets(payload) {
		if _, _, err := p.record(offset); err != nil {
			return false
		}
	}
	return true
}

// record reads the record at an offset.
func (p *Pack) record(at int64) (head, []byte, error) {
	var first [headSize]byte
	if _, err := p.f.ReadAt(first[:], at); err != nil && err != io.EOF {
		return head{}, nil, err
	}
	h, ok := parseHead(first[:], p.mark)
	if !ok {
		return head{}, nil, ErrDamaged
	}
	payload := make([]byte, h.payload)
	if _, err := p.f.ReadAt(payload, at+headSize); err != nil && err != io.EOF {
		return head{}, nil, err
	}
	if checksum(payload) != h.sum {
		return head{}, nil, ErrDamaged
	}
	return h, payload, nil
}

// offsets yields the offsets in the payload of a list.
func offsets(payload []byte) func(func(int64) bool) {
	return func(yield func(int64) bool) {
		for ; len(payload) >= 8; payload = payload[8:] {
			if !yield(int64(binary.LittleEndian.Uint64(payload))) {
				return
			}
		}
	}
}

// Has reports whether the pack, or one of a session that this one was forked from, has
// the content with that SHA-256.
func (p *Pack) Has(sum string) bool {
	h, ok := parseHash(sum)
	if !ok {
		return false
	}
	if _, _, ok := p.keptWith(h); ok {
		return true
	}
	_, _, err := p.find(h)
	return err == nil
}

// Read returns the content with that SHA-256. The error is an ErrMissing, an ErrDamaged,
// or that of reading the file.
func (p *Pack) Read(sum string) ([]byte, error) {
	var b bytes.Buffer
	err := p.Copy(&b, sum)
	return b.Bytes(), err
}

// Copy writes the content with that SHA-256 to w. The error is an ErrMissing, an
// ErrDamaged, or that of reading the file or of w; then a part of the content or a
// wrong one may have been written.
func (p *Pack) Copy(w io.Writer, sum string) error {
	h, ok := parseHash(sum)
	if !ok {
		return fmt.Errorf("%w: %q is not a SHA-256", ErrMissing, sum)
	}
	q, at, err := p.find(h)
	if err != nil {
		if name, _, ok := p.keptWith(h); ok {
			return p.copyKept(w, name, h)
		}
		return err
	}
	all := sha256.New()
	if err := q.inflate(io.MultiWriter(w, all), at); err != nil {
		return err
	}
	if hash(all.Sum(nil)) != h {
		return ErrDamaged
	}
	return nil
}

// inflate writes the content whose record is at an offset to w. It locks mu.
func (p *Pack) inflate(w io.Writer, at int64) error {
	read := func(at int64) (head, []byte, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if size, err := p.open(); err != nil || size == 0 {
			return head{}, nil, cmp.Or(err, ErrMissing)
		}
		return p.record(at)
	}
	h, payload, err := read(at)
	if err != nil {
		return err
	}
	if h.kind != listKind {
		return decompress(w, payload)
	}
	for at := range offsets(payload) {
		_, payload, err := read(at)
		if err == nil {
			err = decompress(w, payload)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func decompress(w io.Writer, payload []byte) error {
	_, err := io.Copy(w, flate.NewReader(bytes.NewReader(payload)))
	if corrupt := flate.CorruptInputError(0); errors.As(err, &corrupt) {
		return ErrDamaged
	}
	return err
}

// find returns the pack that has a content, and the offset of its record. It locks
// mu.
func (p *Pack) find(h hash) (*Pack, int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at, err := p.offset(h); err == nil {
		return p, at, nil
	} else if !errors.Is(err, ErrMissing) {
		return nil, 0, err
	}
	if p.parents == nil {
		p.parents = map[string]*Pack{}
		for _, path := range parents(p.path) {
			if q, err := Open(path, p.limits); err == nil {
				p.parents[path] = q
			}
		}
	}
	for _, q := range p.parents {
		q.mu.Lock()
		at, err := q.offset(h)
		q.mu.Unlock()
		if err == nil {
			return q, at, nil
		}
	}
	return nil, 0, ErrMissing
}

// offset returns the offset of the record of a content in this pack.
func (p *Pack) offset(h hash) (int64, error) {
	if at, ok := p.index[h]; ok {
		return at, nil
	}
	if err := p.readIndex(); err != nil && !errors.Is(err, errUnreadable) {
		return 0, err
	}
	if at, ok := p.index[h]; ok {
		return at, nil
	}
	return 0, ErrMissing
}

func parseHash(sum string) (hash, bool) {
	b, err := hex.DecodeString(sum)
	if err != nil || len(b) != len(hash{}) {
		return hash{}, false
	}
	return hash(b), true
}
