cat > want.json <<'EOF'
{
  "environments": {
    "staging": {
      "url": "https://staging.example.org",
      "timeout_seconds": 45,
      "retries": 2
    },
    "production": {
      "url": "https://example.org",
      "timeout_seconds": 30,
      "retries": 2
    }
  }
}
EOF
diff config.json want.json
