"""Sequelize's migrations and models, and the migrations of db-migrate, which are alike."""
