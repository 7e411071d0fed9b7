# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
import sys

from .cli import main

sys.exit(main())
