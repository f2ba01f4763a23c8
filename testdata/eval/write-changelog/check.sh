cat > want.md <<'EOF'
## 1.10.0
- remove the old checkout
## 1.9.1
- fix rounding of discounts
- accept names with apostrophes
## 1.2.0
- add gift cards
- show the price per kilogram
EOF
grep -v '^ *$' CHANGELOG.md | grep -v '^# ' | sed 's/^\* /- /' | diff - want.md
